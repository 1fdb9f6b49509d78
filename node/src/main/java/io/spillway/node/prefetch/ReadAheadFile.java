// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import io.spillway.node.file.IndexPage;
import io.spillway.node.file.OpenFile;
import io.spillway.node.file.OpenOutput;
import java.lang.ref.WeakReference;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;

/**
 * What is known of one open map output file that may be read ahead: its blocks in memory, those
 * being read, and how much of each was sent. Guarded by the prefetcher's lock, but for its final
 * fields.
 */
final class ReadAheadFile {
    private final OpenFile file;
    private final ReadAheadJob job;

    /** Weak, so that the cache of indices alone decides how much memory they take. */
    private WeakReference<IndexPage> index;

    private final int blockBytes;
    private final Map<Integer, Block> blocks = new HashMap<>();
    private final BitSet reading = new BitSet();

    /** Four bytes a block; files are read ahead one block at a time. */
    private final int[] sentBytes;

    private boolean headsQueued;
    private boolean dropped;

    ReadAheadFile(final OpenOutput output, final ReadAheadJob job, final int blockBytes) {
        this.file = output.file();
        this.job = job;
        this.index = new WeakReference<>(output.index());
        this.blockBytes = blockBytes;
        this.sentBytes = new int[blockOf(file.size() + blockBytes - 1)];
    }

    OpenFile file() {
        return file;
    }

    ReadAheadJob job() {
        return job;
    }

    /** The page of the index that was used last, or null when it is not cached any more. */
    IndexPage index() {
        return index.get();
    }

    void setIndex(final IndexPage used) {
        if (!index.refersTo(used)) {
            index = new WeakReference<>(used);
        }
    }

    /** In which block a position of the file lies. */
    int blockOf(final long position) {
        return Math.toIntExact(position / blockBytes);
    }

    /** Where a block starts in the file. */
    long startOf(final int block) {
        return (long) block * blockBytes;
    }

    /** The bytes of a block: fewer at the file's end. */
    int lengthOf(final int block) {
        return (int) Math.min(blockBytes, file.size() - startOf(block));
    }

    /** The block in memory, or null. */
    Block block(final int number) {
        return blocks.get(number);
    }

    Map<Integer, Block> blocks() {
        return blocks;
    }

    BitSet reading() {
        return reading;
    }

    /** Whether reading a block would serve anybody. */
    boolean isWanted(final int block) {
        return !dropped
                && block < sentBytes.length
                && !reading.get(block)
                && !blocks.containsKey(block)
                && !isSent(block);
    }

    /**
     * Whether as many bytes were sent as the block has: then all of its reducers have read it, for
     * each byte has one reader. One that reads twice makes this true too early, which costs a miss.
     */
    boolean isSent(final int block) {
        return sentBytes[block] >= lengthOf(block);
    }

    int unsentBytes(final int block) {
        return lengthOf(block) - sentBytes[block];
    }

    void addSent(final int block, final long from, final long to) {
        final long start = Math.max(from, startOf(block));
        final long end = Math.min(to, startOf(block) + lengthOf(block));
        final long sum = sentBytes[block] + Math.max(0, end - start);
        sentBytes[block] = (int) Math.min(lengthOf(block), sum);
    }

    /** Whether this is the first call. */
    boolean beginHeads() {
        final boolean first = !headsQueued;
        headsQueued = true;
        return first;
    }

    boolean isDropped() {
        return dropped;
    }

    void markDropped() {
        dropped = true;
    }
}
