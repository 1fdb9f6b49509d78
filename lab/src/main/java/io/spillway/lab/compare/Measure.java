// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.MapStages;
import io.spillway.cli.run.ReduceReport;
import io.spillway.report.ShuffleCounter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * One measure of a job: a row of the table.
 *
 * @param key its name in JSON
 * @param label with its unit, for a table
 * @param isMain whether it is among the rows that a short table has
 * @param ofCopy whether the job without a shuffle has it too
 * @param value of a job
 */
record Measure(String key, String label, boolean isMain, boolean ofCopy, Value value) {
    private static final double MILLIS = 1e3;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;

    /** Computes a measure. */
    @FunctionalInterface
    interface Value {
        /**
         * The value of a job; not a number where it is unknown.
         *
         * @param copy the job without a shuffle of the same round
         */
        double of(JobFigures job, JobFigures copy);
    }

    /** All measures in the order of the table. */
    static List<Measure> all(final long inputBytes, final boolean outputOnLocalFiles) {
        final List<Measure> all = new ArrayList<>();
        all.addAll(cost(inputBytes));
        all.addAll(mapSide());
        all.addAll(reduceSide());
        all.addAll(memoryAndDisk(outputOnLocalFiles));
        return List.copyOf(all);
    }

    private static List<Measure> cost(final long inputBytes) {
        return List.of(
                new Measure(
                        "cpu_over_copy",
                        "CPU over the copy's",
                        true,
                        true,
                        (job, copy) -> cpuMillis(job) / cpuMillis(copy)),
                main("cpu_seconds", "CPU, s", true, job -> cpuMillis(job) / MILLIS),
                main("wall_seconds", "wall time, s", true, job -> job.wallMillis() / MILLIS),
                new Measure(
                        "tax_cpu_seconds_per_gb",
                        "shuffle tax, CPU-s/GB",
                        true,
                        false,
                        (job, copy) ->
                                (cpuMillis(job) - cpuMillis(copy)) / MILLIS / (inputBytes / GIGA)),
                main(
                        "cpu_maps_seconds",
                        "CPU of maps, s",
                        true,
                        job -> job.cpuMillis().map() / MILLIS),
                main(
                        "cpu_reduces_seconds",
                        "CPU of reduces, s",
                        false,
                        job -> job.cpuMillis().reduce() / MILLIS),
                detail(
                        "cpu_node_managers_seconds",
                        "CPU of NodeManagers, s",
                        true,
                        job -> job.services().nodeManagerMillis() / MILLIS),
                detail(
                        "cpu_node_processes_seconds",
                        "CPU of node processes, s",
                        true,
                        job -> job.services().nodeProcessMillis() / MILLIS));
    }

    private static List<Measure> mapSide() {
        return List.of(
                main(
                        "map_phase_seconds",
                        "map phase, s",
                        true,
                        job -> job.stages().mapPhase() / MILLIS),
                detail(
                        "mean_map_seconds",
                        "mean map, s",
                        true,
                        job -> job.stages().meanMap() / MILLIS),
                detail("read_seconds", "  read a map, s", false, job -> stage(job, "READ_MILLIS")),
                detail("map_seconds", "  map a map, s", false, job -> stage(job, "MAP_MILLIS")),
                detail(
                        "collect_seconds",
                        "  collect a map, s",
                        false,
                        job -> stage(job, "COLLECT_MILLIS")),
                detail(
                        "spill_seconds",
                        "  spill a map, s",
                        false,
                        job -> stage(job, "SORT_MILLIS") + stage(job, "SPILL_MILLIS")),
                detail(
                        "merge_seconds",
                        "  merge a map, s",
                        false,
                        job -> stage(job, "MERGE_MILLIS")),
                detail(
                        "spill_and_merge_seconds",
                        "  spill + merge a map (logs), s",
                        false,
                        job -> job.mapStages().map(MapStages::meanSeconds).orElse(Double.NaN)));
    }

    private static List<Measure> reduceSide() {
        return List.of(
                detail("overlap_percent", "overlap, %", false, Measure::overlapPercent),
                detail(
                        "last_shuffle_after_maps_seconds",
                        "last map to last shuffle, s",
                        false,
                        job -> job.stages().shuffleAfterMaps() / MILLIS),
                detail(
                        "last_merge_after_maps_seconds",
                        "last map to last merge, s",
                        false,
                        job -> job.stages().mergeAfterMaps() / MILLIS),
                detail(
                        "first_record_seconds",
                        "first reduce() after last map, s",
                        false,
                        job -> most(job, of(ShuffleCounter.FIRST_RECORD_MILLIS)) / MILLIS),
                detail(
                        "stall_seconds",
                        "stalls a reducer, s",
                        false,
                        job -> stall(job, "stall_millis")),
                detail(
                        "stall_flight_seconds",
                        "  waiting for a fetch, s",
                        false,
                        job -> stall(job, "stall_flight_millis")),
                detail(
                        "stall_budget_seconds",
                        "  waiting for budget, s",
                        false,
                        job -> stall(job, "stall_budget_millis")),
                detail(
                        "stall_source_seconds",
                        "  waiting for a source, s",
                        false,
                        job -> stall(job, "stall_source_millis")),
                detail(
                        "mean_shuffle_seconds",
                        "mean copy (shuffle), s",
                        false,
                        job -> job.stages().meanShuffle() / MILLIS),
                detail(
                        "mean_merge_seconds",
                        "mean merge (sort), s",
                        false,
                        job -> job.stages().meanMerge() / MILLIS),
                detail(
                        "mean_reduce_seconds",
                        "mean reduce, s",
                        false,
                        job -> job.stages().meanReduce() / MILLIS),
                main(
                        "tail_seconds",
                        "last map to end, s",
                        true,
                        job -> job.stages().tail() / MILLIS));
    }

    private static List<Measure> memoryAndDisk(final boolean outputOnLocalFiles) {
        return List.of(
                detail(
                        "peak_buffer_mb",
                        "peak reduce buffer, MB",
                        false,
                        job -> peakBufferBytes(job) / MEGA),
                detail("buffer_budget_mb", "its budget, MB", false, job -> budgetBytes(job) / MEGA),
                main(
                        "reducer_physical_mb",
                        "physical memory of a reducer, MB",
                        false,
                        job -> physicalBytes(job) / MEGA),
                detail(
                        "spilled_records_m",
                        "spilled records, M",
                        true,
                        job -> job.spilledRecords() / MEGA),
                detail(
                        "disk_maps_gb",
                        "to disk by maps, GB",
                        false,
                        job -> job.fileBytesWrittenByMaps() / GIGA),
                main(
                        "disk_intermediate_gb",
                        "intermediate to disk, GB",
                        false,
                        job -> job.intermediateBytesWritten(outputOnLocalFiles) / GIGA));
    }

    private static Measure main(
            final String key,
            final String label,
            final boolean ofCopy,
            final ToDoubleFunction<JobFigures> value) {
        return new Measure(key, label, true, ofCopy, (job, copy) -> value.applyAsDouble(job));
    }

    private static Measure detail(
            final String key,
            final String label,
            final boolean ofCopy,
            final ToDoubleFunction<JobFigures> value) {
        return new Measure(key, label, false, ofCopy, (job, copy) -> value.applyAsDouble(job));
    }

    private static double cpuMillis(final JobFigures job) {
        return job.cpuMillis().total();
    }

    /** Seconds of a stage a map; only Spillway counts them. */
    private static double stage(final JobFigures job, final String figure) {
        return job.counters().containsKey(JobFigures.FIGURES)
                ? job.counter(JobFigures.FIGURES, figure).total() / MILLIS / Math.max(1, job.maps())
                : Double.NaN;
    }

    /** What was fetched before the last map ended, of all that was fetched. */
    static double overlapPercent(final JobFigures job) {
        final double fetched =
                (double) total(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)
                        + total(job, ShuffleCounter.FETCH_HTTP_BYTES);
        return fetched == 0
                ? Double.NaN
                : 100 * total(job, ShuffleCounter.FETCH_OVERLAPPED_BYTES) / fetched;
    }

    private static long total(final JobFigures job, final ShuffleCounter figure) {
        return job.figure(figure).total();
    }

    /** Seconds that a reducer waited, on average; by the counters where no log is at hand. */
    private static double stall(final JobFigures job, final String name) {
        return values(job, report -> report.number(name))
                        .average()
                        .orElseGet(() -> counted(job, name.toUpperCase(Locale.ROOT)))
                / MILLIS;
    }

    private static double counted(final JobFigures job, final String name) {
        return job.counters().getOrDefault(JobFigures.FIGURES, Map.of()).containsKey(name)
                ? (double) job.counter(JobFigures.FIGURES, name).total()
                        / Math.max(1, job.reduces())
                : Double.NaN;
    }

    /** The most that a reducer's shuffle buffer held. */
    static double peakBufferBytes(final JobFigures job) {
        return most(job, of(ShuffleCounter.PEAK_BUFFER_BYTES));
    }

    /** What a reducer's shuffle buffer may hold. */
    static double budgetBytes(final JobFigures job) {
        return most(job, ReduceReport::budgetBytes);
    }

    /** The largest resident set of a reducer that Hadoop has seen, of any engine. */
    static double physicalBytes(final JobFigures job) {
        final long bytes = job.task("REDUCE_PHYSICAL_MEMORY_BYTES_MAX").reduce();
        return bytes > 0 ? bytes : Double.NaN;
    }

    private static Function<ReduceReport, OptionalLong> of(final ShuffleCounter figure) {
        return report -> report.number(figure.name().toLowerCase(Locale.ROOT));
    }

    private static double most(
            final JobFigures job, final Function<ReduceReport, OptionalLong> value) {
        return values(job, value).asDoubleStream().max().orElse(Double.NaN);
    }

    private static LongStream values(
            final JobFigures job, final Function<ReduceReport, OptionalLong> value) {
        return job.reduceReports().stream().map(value).flatMapToLong(OptionalLong::stream);
    }
}
