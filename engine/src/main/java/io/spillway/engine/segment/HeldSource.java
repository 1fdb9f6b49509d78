package io.spillway.engine.segment;

import io.spillway.engine.memory.Chunk;
import io.spillway.engine.memory.ChunkSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.function.Consumer;

/** Gives the chunks of a run that lies in memory as a whole. Never blocks. One thread at a time. */
public final class HeldSource implements ChunkSource {
    private final Deque<HeldChunk> chunks;
    private final Consumer<HeldChunk> onConsumed;
    private final long totalBytes;
    private HeldChunk current;

    /**
     * Creates a source.
     *
     * @param onConsumed takes every chunk back, at the latest when the source is closed
     */
    public HeldSource(final Collection<HeldChunk> chunks, final Consumer<HeldChunk> onConsumed) {
        this.chunks = new ArrayDeque<>(chunks);
        this.onConsumed = onConsumed;
        this.totalBytes = chunks.stream().mapToLong(held -> held.chunk().length()).sum();
    }

    @Override
    public long totalBytes() {
        return totalBytes;
    }

    @Override
    public Chunk next() {
        current = chunks.pollFirst();
        return current == null ? null : current.chunk();
    }

    @Override
    public void release(final Chunk chunk) {
        final HeldChunk consumed = current;
        current = null;
        onConsumed.accept(consumed);
    }

    @Override
    public void close() {
        chunks.forEach(onConsumed);
        chunks.clear();
    }
}
