// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.link;

import java.util.BitSet;

/**
 * Which parts of a range of memory are taken, in blocks of 16 KiB: the first free ones behind the
 * last that were taken. Used by one thread.
 */
public final class Blocks {
    /** What is taken and given back. */
    public static final int BLOCK_BYTES = 16 << 10;

    private final int base;
    private final int count;
    private final BitSet taken;
    private int next;

    /**
     * Creates a range of which nothing is taken.
     *
     * @param base where it begins
     * @param bytes its length; what is beyond whole blocks is not used
     */
    public Blocks(final int base, final int bytes) {
        this.base = base;
        this.count = bytes / BLOCK_BYTES;
        this.taken = new BitSet(count);
    }

    /**
     * Takes bytes that lie one behind the other.
     *
     * @return the offset; negative where there is no room
     */
    public int take(final int bytes) {
        final int blocks = blocksOf(bytes);
        int found = find(next, count, blocks);
        if (found < 0) {
            found = find(0, Math.min(count, next + blocks - 1), blocks);
        }
        if (found < 0) {
            return -1;
        }
        taken.set(found, found + blocks);
        next = found + blocks;
        return base + found * BLOCK_BYTES;
    }

    private int find(final int from, final int to, final int blocks) {
        int start = taken.nextClearBit(from);
        while (start + blocks <= to) {
            final int end = taken.nextSetBit(start);
            if (end < 0 || end >= start + blocks) {
                return start;
            }
            start = taken.nextClearBit(end);
        }
        return -1;
    }

    /**
     * Gives bytes back.
     *
     * @return false where they are not taken, or do not begin as {@link #take} has said
     */
    public boolean give(final int offset, final int bytes) {
        final int relative = offset - base;
        if (relative < 0 || relative % BLOCK_BYTES != 0 || bytes <= 0) {
            return false;
        }
        final int first = relative / BLOCK_BYTES;
        final int end = first + blocksOf(bytes);
        if (end > count || taken.nextClearBit(first) < end) {
            return false;
        }
        taken.clear(first, end);
        return true;
    }

    /** Whether nothing is taken. */
    public boolean isEmpty() {
        return taken.isEmpty();
    }

    private static int blocksOf(final int bytes) {
        return (bytes - 1) / BLOCK_BYTES + 1;
    }
}
