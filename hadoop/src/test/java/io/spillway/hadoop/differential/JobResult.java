// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.hadoop.report.FigureCounters;
import io.spillway.report.ShuffleCounter;
import java.util.List;
import java.util.Map;

/**
 * What a job left behind.
 *
 * @param partitions each reducer's output, in normal form; empty when the job failed
 * @param counters the job's counters, by name
 * @param failure what failed the job, outermost first, or empty when it succeeded
 */
record JobResult(
        List<List<OutputReader.Line>> partitions,
        Map<String, Long> counters,
        List<String> failure) {
    boolean succeeded() {
        return failure.isEmpty();
    }

    /** A figure of Spillway's shuffle report. */
    long figure(final ShuffleCounter figure) {
        return counter(FigureCounters.GROUP + " " + FigureCounters.nameOf(figure));
    }

    long counter(final String name) {
        return counters.getOrDefault(name, 0L);
    }
}
