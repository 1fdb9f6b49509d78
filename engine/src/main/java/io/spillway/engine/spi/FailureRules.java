// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

/**
 * When a failed fetch is tried again, and when it is reported. Immutable.
 *
 * @param maxPenaltyMillis the longest rest of a node or an output after a failure
 * @param maxHostFailures more failures of one host than these are reported at once
 * @param failuresBeforeReport of one output, at least 1
 * @param reportReadErrors whether a failure to read is reported at once
 * @param notificationsForRerun the reports on which the framework runs a map again, at least 1
 * @param restart the time that a node has to start again
 */
public record FailureRules(
        long maxPenaltyMillis,
        int maxHostFailures,
        int failuresBeforeReport,
        boolean reportReadErrors,
        int notificationsForRerun,
        Restart restart) {
    /**
     * The time that a node has to start again, in which its failures do not count.
     *
     * @param awaited whether there is such a time
     * @param pauseMillis between tries
     */
    public record Restart(boolean awaited, long millis, long pauseMillis) {}
}
