// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.thread;

import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import java.io.IOException;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.util.Progressable;

/**
 * Sums the time the merge waits for data, by cause, and tells Hadoop meanwhile that the task lives.
 * Task thread.
 */
public final class StallClock {
    /** How often a waiting thread reports progress. */
    public static final long HEARTBEAT_MILLIS = 1000;

    private final Progressable progress;
    private final ShuffleThreads threads;
    private final Vigil vigil;
    private final Map<StallCause, Long> nanos = new EnumMap<>(StallCause.class);

    /** Watches over waits. */
    public interface Vigil {
        /**
         * A thread that waits for the shuffle calls this from time to time.
         *
         * @return whether something is under way that can end the wait: the task lives
         * @throws IOException when the shuffle has failed
         */
        boolean lives() throws IOException;
    }

    public StallClock(
            final Progressable progress, final ShuffleThreads threads, final Vigil vigil) {
        this.progress = progress;
        this.threads = threads;
        this.vigil = vigil;
    }

    /**
     * Waits until a condition holds, and tells Hadoop meanwhile that the task lives, as long as it
     * does.
     *
     * @param monitor guards the condition, and is notified when it may have changed
     * @throws IOException when the shuffle has failed
     */
    public void await(final Object monitor, final BooleanSupplier condition)
            throws InterruptedException, IOException {
        while (!threads.await(monitor, condition, HEARTBEAT_MILLIS)) {
            heartbeat();
        }
    }

    /** Reports progress to Hadoop while the task lives; for waits of another kind. */
    public void heartbeat() throws IOException {
        if (vigil.lives()) {
            progress.progress();
        }
    }

    public void add(final StallCause cause, final long waitedNanos) {
        nanos.merge(cause, waitedNanos, Long::sum);
    }

    /** Adds the sums to a task's report. */
    public void writeTo(final TaskReport report) {
        nanos.forEach(
                (cause, sum) -> {
                    final long millis = TimeUnit.NANOSECONDS.toMillis(sum);
                    report.add(cause.figure(), millis);
                    report.add(ShuffleCounter.STALL_MILLIS, millis);
                });
    }
}
