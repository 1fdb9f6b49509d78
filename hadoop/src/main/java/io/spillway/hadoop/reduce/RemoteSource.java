package io.spillway.hadoop.reduce;

import java.io.IOException;

/** Gives the task thread a segment that the coordinator fetches. */
final class RemoteSource implements ChunkSource {
    private final SegmentFetch fetch;
    private final long totalBytes;
    private final FetchCoordinator coordinator;
    private final StallClock stalls;

    /**
     * Creates a source of a fetch whose lengths are known.
     *
     * @param totalBytes the bytes that the chunks have together
     */
    RemoteSource(
            final SegmentFetch fetch,
            final long totalBytes,
            final FetchCoordinator coordinator,
            final StallClock stalls) {
        this.fetch = fetch;
        this.totalBytes = totalBytes;
        this.coordinator = coordinator;
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
        coordinator.consumed(fetch, chunk);
    }

    @Override
    public void close() {
        // The loop owns what the task thread has not taken.
    }
}
