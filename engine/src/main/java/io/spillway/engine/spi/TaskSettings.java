// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/**
 * What a framework says of a reduce task. Immutable.
 *
 * @param name of the attempt, for logs and the report
 * @param partition its number
 * @param maps what it is to fetch
 * @param parallelCopies how many nodes are connected to, or asked in the framework's own way, at a
 *     time
 * @param timeoutMillis the framework ends a task that reports no progress for so long; 0 for never
 * @param failures when failed fetches are tried again and reported
 */
public record TaskSettings(
        String name,
        int partition,
        Maps maps,
        int parallelCopies,
        long timeoutMillis,
        FailureRules failures) {
    /**
     * The maps of the job.
     *
     * @param runs the most runs that a map leaves its output in
     * @param form of their stored outputs
     */
    public record Maps(int count, int runs, SegmentForm form) {}
}
