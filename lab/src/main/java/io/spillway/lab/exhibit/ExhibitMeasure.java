// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import io.spillway.lab.profile.MachineSample;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** What an exhibit compares: a figure of jobs, or of the samples that are taken meanwhile. */
public enum ExhibitMeasure {
    /** The time of a job, from its submission to its end. */
    JOB_TIME("wall_seconds", "", "s"),
    /** The CPU time of a job's tasks, over that of a job that copies the input. */
    CPU_OVER_COPY("cpu_over_copy", "CPU", "× a copy"),
    /** The CPU time of a job's tasks. */
    CPU_TIME("cpu_seconds", "CPU time", "s"),
    /** The time from the start of the first map to the end of the last one. */
    MAP_PHASE("map_phase_seconds", "map phase", "s"),
    /** The time from the end of the last map to the end of the job. */
    TAIL("tail_seconds", "last map to end", "s"),
    /** The mean time of a map. */
    MAP("mean_map_seconds", "a map", "s"),
    /** The mean time in which a map spills and merges. */
    SPILL_AND_MERGE("spill_and_merge_seconds", "spill and merge of a map", "s"),
    /** The mean time of a map without {@link #SPILL_AND_MERGE}: logs of all engines have both. */
    COLLECT("", "JVM start, read, map and collect", "s"),
    /** The mean time in which a reducer copies its data. */
    COPY_TIME("mean_shuffle_seconds", "copy of a reducer", "s"),
    /** Processors in use, as the mean over the job. */
    CPU_USE("mean CPU in use", "%", samples -> mean(samples, MachineSample::cpuPercent)),
    /** Memory times the time for which it is in use. */
    MEMORY_HELD("memory × time", "", samples -> sum(samples, MachineSample::memoryMegabytes)),
    /** What a host receives, as the mean over the job. */
    RECEIVED(
            "mean received by a host",
            "MB/s",
            samples -> mean(samples, MachineSample::receivedMegabytes)),
    /** Operations of disks during the job. */
    DISK("operations of disks", "", samples -> sum(samples, MachineSample::diskOperations));

    private final String key;
    private final String words;
    private final String unit;

    @SuppressWarnings("ImmutableEnumChecker") // a lambda without state
    private final ToDoubleFunction<List<MachineSample>> ofSamples;

    ExhibitMeasure(final String key, final String words, final String unit) {
        this(key, words, unit, null);
    }

    ExhibitMeasure(
            final String words,
            final String unit,
            final ToDoubleFunction<List<MachineSample>> ofSamples) {
        this("", words, unit, ofSamples);
    }

    ExhibitMeasure(
            final String key,
            final String words,
            final String unit,
            final ToDoubleFunction<List<MachineSample>> ofSamples) {
        this.key = key;
        this.words = words;
        this.unit = unit;
        this.ofSamples = ofSamples;
    }

    /** Its key among the medians of a comparison; empty where it is computed from other figures. */
    String key() {
        return key;
    }

    /** Its name for a table; empty for the time of a job. */
    String words() {
        return words;
    }

    /** Its unit; empty where only ratios of it have a meaning. */
    String unit() {
        return unit;
    }

    /** Whether it is computed from samples. */
    boolean isOfSamples() {
        return ofSamples != null;
    }

    /** Computes it from the samples of a job, of which there is at least one. */
    double of(final List<MachineSample> samples) {
        return ofSamples.applyAsDouble(samples);
    }

    private static double sum(
            final List<MachineSample> samples, final ToDoubleFunction<MachineSample> value) {
        return samples.stream().mapToDouble(value).sum();
    }

    private static double mean(
            final List<MachineSample> samples, final ToDoubleFunction<MachineSample> value) {
        return sum(samples, value) / samples.size();
    }
}
