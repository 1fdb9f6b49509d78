// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.engine.reduce.thread.StallClock;
import java.io.IOException;
import java.util.function.BiConsumer;

/** Gives the task thread a segment that the coordinator fetches. */
public final class RemoteSource implements ChunkSource {
    private final SegmentFetch fetch;
    private final long totalBytes;
    private final BiConsumer<SegmentFetch, Chunk> onConsumed;
    private final StallClock stalls;

    /**
     * Creates a source of a fetch whose lengths are known.
     *
     * @param totalBytes the bytes that the chunks have together
     */
    public RemoteSource(
            final SegmentFetch fetch,
            final long totalBytes,
            final BiConsumer<SegmentFetch, Chunk> onConsumed,
            final StallClock stalls) {
        this.fetch = fetch;
        this.totalBytes = totalBytes;
        this.onConsumed = onConsumed;
        this.stalls = stalls;
    }

    @Override
    public long totalBytes() {
        return totalBytes;
    }

    @Override
    public Chunk next() throws IOException {
        return fetch.queue.take(stalls);
    }

    @Override
    public void release(final Chunk chunk) {
        onConsumed.accept(fetch, chunk);
    }

    @Override
    public void close() {
        // The loop owns what the task thread has not taken.
    }
}
