// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.TaskCounters;
import io.spillway.thread.Backoff;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stock's rules on failed fetches: how long to wait, when to report, when to give up (see {@code
 * org.apache.hadoop.mapreduce.task.reduce.ShuffleSchedulerImpl}). Owned by the loop's thread. Times
 * are in milliseconds of one monotonic clock.
 */
public final class FetchFailures {
    private static final Logger LOG = LoggerFactory.getLogger(FetchFailures.class);

    private static final double PENALTY_GROWTH = 1.3;
    private static final long FIRST_PENALTY_MILLIS = 13_000;
    private static final double MAX_FAILED_FRACTION = 0.5;
    private static final double MIN_PROGRESS = 0.5;
    private static final double MAX_STALLED_FRACTION = 0.5;

    private final ShuffleSettings settings;
    private final TaskCounters counters;
    private final Consumer<OutputId> reporter;
    private final Backoff penalties;
    private final int abortLimit;
    private final int maxFailedMaps;
    private final long startMillis;

    private final Map<OutputId, Integer> mapFailures = new HashMap<>();
    private final Map<String, Integer> hostFailures = new HashMap<>();
    private long progressMillis;
    private long longestMapMillis;

    /**
     * Creates the rules.
     *
     * @param counters those of the task
     * @param reporter reports to the framework that fetching an attempt's output failed
     */
    public FetchFailures(
            final ShuffleSettings settings,
            final TaskCounters counters,
            final Consumer<OutputId> reporter,
            final long nowMillis) {
        this.settings = settings;
        this.counters = counters;
        this.reporter = reporter;
        final long mostMillis = Math.max(0, settings.failures.maxPenaltyMillis());
        this.penalties =
                new Backoff(Math.min(FIRST_PENALTY_MILLIS, mostMillis), mostMillis, PENALTY_GROWTH);
        this.abortLimit = Math.max(30, settings.numMaps / 10);
        this.maxFailedMaps = Math.min(settings.numMaps, 5);
        this.startMillis = nowMillis;
        this.progressMillis = nowMillis;
    }

    public void mapRan(final long millis) {
        longestMapMillis = Math.max(longestMapMillis, millis);
    }

    void copySucceeded(final OutputId map, final String host, final long nowMillis) {
        mapFailures.remove(map);
        hostFailures.remove(host);
        progressMillis = nowMillis;
    }

    /** The attempt is obsolete: its failures count no more. */
    public void forget(final OutputId map) {
        mapFailures.remove(map);
    }

    public void hostFailed(final String host) {
        hostFailures.merge(host, 1, Integer::sum);
    }

    /**
     * Counts a failed fetch.
     *
     * @param readError whether the failure came from reading, not from connecting
     * @param refused whether the connection could not be opened
     * @param copied the maps that need no more fetching
     * @return how long to wait before the next try
     * @throws IOException when the reducer should give up
     */
    public long copyFailed(
            final OutputId map,
            final String host,
            final boolean readError,
            final boolean refused,
            final int copied,
            final long nowMillis)
            throws IOException {
        final int failures = mapFailures.merge(map, 1, Integer::sum);
        final int failuresOfHost = hostFailures.computeIfAbsent(host, name -> 1);
        if (failures >= abortLimit) {
            throw new IOException(failures + " failures downloading " + map);
        }
        if (refused
                || (readError && settings.failures.reportReadErrors())
                || failures % settings.failures.failuresBeforeReport() == 0
                || failuresOfHost > settings.failures.maxHostFailures()) {
            LOG.info("Reporting fetch failure for {}", map);
            reporter.accept(map);
        }
        checkHealth(copied, nowMillis);
        counters.fetchFailed();
        return penalties.after(failures);
    }

    private void checkHealth(final int copied, final long nowMillis) throws IOException {
        final long failed = counters.failedFetches();
        final boolean healthy =
                (double) failed / Math.max(1, failed + copied) < MAX_FAILED_FRACTION;
        final boolean farEnough = (double) copied / settings.numMaps >= MIN_PROGRESS;
        final long stalled = nowMillis - progressMillis;
        final long ran = Math.max(progressMillis - startMillis, longestMapMillis);
        final boolean isStalled = stalled >= MAX_STALLED_FRACTION * ran;
        final int failing = mapFailures.size();
        if ((failing >= maxFailedMaps || failing == settings.numMaps - copied)
                && !healthy
                && (!farEnough || isStalled)) {
            LOG.error("Shuffle failed with too many fetch failures and insufficient progress!");
            throw new IOException("Exceeded MAX_FAILED_UNIQUE_FETCHES; bailing-out.");
        }
    }
}
