package io.spillway.hadoop.reduce;

import org.apache.hadoop.util.Progressable;

/** Sums the time the merge waits for data, and tells Hadoop meanwhile that the task lives. */
final class StallClock {
    /** How often a waiting thread reports progress. */
    static final long HEARTBEAT_MILLIS = 1000;

    private final Progressable progress;
    private long micros;

    StallClock(final Progressable progress) {
        this.progress = progress;
    }

    void heartbeat() {
        progress.progress();
    }

    void add(final long waitedMicros) {
        micros += waitedMicros;
    }

    /** Task thread. */
    long millis() {
        return micros / 1000;
    }
}
