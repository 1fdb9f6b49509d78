// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.StallClock;
import java.io.IOException;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * The streams of a merge whose map wrote no checksums of blocks, so that only the segment's own, at
 * its end, verifies them. When something fails that has seen their records, they are read to the
 * end without being merged: damaged map output shows then, and is reported. Task thread.
 */
public final class UnverifiedStreams {
    private final List<SegmentFetch> streams;
    private final StallClock stalls;
    private final BiConsumer<SegmentFetch, Chunk> onConsumed;

    /**
     * Creates the set.
     *
     * @param streams those that the merge reads from
     * @param onConsumed takes chunks back
     */
    public UnverifiedStreams(
            final List<SegmentFetch> streams,
            final StallClock stalls,
            final BiConsumer<SegmentFetch, Chunk> onConsumed) {
        this.streams = streams;
        this.stalls = stalls;
        this.onConsumed = onConsumed;
    }

    /** Whether the merge has failed by one of its sources: that says what is wrong already. */
    public boolean hasFailed() {
        return streams.stream().anyMatch(fetch -> fetch.queue.hasFailed());
    }

    /** Whether there is one that was not read to its end. */
    public boolean isAny() {
        return streams.stream().anyMatch(fetch -> fetch.queue.isUnverified());
    }

    /**
     * Reads to the end what is left. The merge must have given its chunks back. Takes as long as
     * the sources need, with signs of life; sources that are lost end it as they end a merge.
     *
     * @throws IOException when one is damaged, or cannot be had
     */
    public void verify() throws IOException {
        for (final SegmentFetch fetch : streams) {
            if (fetch.queue.isUnverified()) {
                readToEnd(fetch);
            }
        }
    }

    private void readToEnd(final SegmentFetch fetch) throws IOException {
        Chunk chunk = fetch.queue.take(stalls);
        while (chunk != null) {
            onConsumed.accept(fetch, chunk);
            chunk = fetch.queue.take(stalls);
        }
    }
}
