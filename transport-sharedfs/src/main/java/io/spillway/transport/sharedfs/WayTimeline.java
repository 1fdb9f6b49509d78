// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.report.TaskReport;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * The bytes of each way in each second. A long reducer has longer slices, so that their number
 * stays limited. Thread-safe.
 */
final class WayTimeline {
    /** The most slices. */
    static final int MOST_SLICES = 120;

    private final LongSupplier clock;
    private final long began;
    private final long beganMillis;
    private final long[] shared = new long[MOST_SLICES];
    private final long[] node = new long[MOST_SLICES];
    private long sliceNanos = TimeUnit.SECONDS.toNanos(1);
    private int slices;

    /**
     * Begins now.
     *
     * @param clock of nanoseconds
     * @param nowMillis the time of day, in milliseconds since 1970
     */
    WayTimeline(final LongSupplier clock, final long nowMillis) {
        this.clock = clock;
        this.began = clock.getAsLong();
        this.beganMillis = nowMillis;
    }

    /** Adds bytes of a way. */
    synchronized void came(final WayChoice.Way way, final long bytes) {
        final long passed = clock.getAsLong() - began;
        while (passed / sliceNanos >= MOST_SLICES) {
            merge(shared);
            merge(node);
            slices = (slices + 1) / 2;
            sliceNanos *= 2;
        }
        final int slice = (int) (passed / sliceNanos);
        (way == WayChoice.Way.SHARED ? shared : node)[slice] += bytes;
        slices = Math.max(slices, slice + 1);
    }

    /** Merges each two slices into one. */
    private static void merge(final long[] bytes) {
        for (int i = 0; i < MOST_SLICES / 2; i++) {
            bytes[i] = bytes[2 * i] + bytes[2 * i + 1];
        }
        Arrays.fill(bytes, MOST_SLICES / 2, MOST_SLICES, 0);
    }

    synchronized void noteIn(final TaskReport report) {
        if (slices == 0) {
            return;
        }
        report.note("sharedfs_began", beganMillis);
        report.note("sharedfs_slice_millis", TimeUnit.NANOSECONDS.toMillis(sliceNanos));
        report.note("sharedfs_slice_shared_bytes", Arrays.copyOf(shared, slices));
        report.note("sharedfs_slice_node_bytes", Arrays.copyOf(node, slices));
    }
}
