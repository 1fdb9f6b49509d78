// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkSource;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.function.Consumer;

/** Gives the chunks of a run that lies in memory as a whole. Never blocks. One thread at a time. */
final class MemoryRunSource implements ChunkSource {
    private final Deque<Chunk> chunks;
    private final Consumer<Chunk> onConsumed;
    private final long totalBytes;

    /**
     * Creates a source.
     *
     * @param onConsumed takes every chunk back, at the latest when the source is closed
     */
    MemoryRunSource(final Collection<Chunk> chunks, final Consumer<Chunk> onConsumed) {
        this.chunks = new ArrayDeque<>(chunks);
        this.onConsumed = onConsumed;
        this.totalBytes = chunks.stream().mapToLong(Chunk::length).sum();
    }

    @Override
    public long totalBytes() {
        return totalBytes;
    }

    @Override
    public Chunk next() {
        return chunks.pollFirst();
    }

    @Override
    public void release(final Chunk chunk) {
        onConsumed.accept(chunk);
    }

    @Override
    public void close() {
        chunks.forEach(onConsumed);
        chunks.clear();
    }
}
