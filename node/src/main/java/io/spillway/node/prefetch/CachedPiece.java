// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import io.spillway.transport.CachedBytes;
import java.nio.ByteBuffer;
import java.util.List;

/** A range of a file in memory, with a reference on each of its blocks. Used by one thread. */
final class CachedPiece implements CachedBytes {
    private final Prefetcher prefetcher;
    private final ReadAheadFile file;
    private final List<Block> blocks;
    private final long from;
    private final long to;

    /**
     * Takes over the references.
     *
     * @param from where the range starts in the file, in bytes
     * @param to where it ends
     */
    CachedPiece(
            final Prefetcher prefetcher,
            final ReadAheadFile file,
            final List<Block> blocks,
            final long from,
            final long to) {
        this.prefetcher = prefetcher;
        this.file = file;
        this.blocks = blocks;
        this.from = from;
        this.to = to;
    }

    @Override
    public List<ByteBuffer> buffers() {
        return blocks.stream().map(block -> block.slice(from, to)).toList();
    }

    @Override
    public void sent() {
        prefetcher.sent(file, from, to);
    }

    @Override
    public void close() {
        blocks.forEach(Block::release);
        prefetcher.startReaders();
    }
}
