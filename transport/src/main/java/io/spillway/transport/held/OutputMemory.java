// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory of one output: its pieces lie one behind the other in chunks that it has to itself, so
 * that small pieces waste none, and an output one chunk at most. A piece is named by its position:
 * the bytes before it. Used under its output's lock; what was taken may be read without it.
 */
final class OutputMemory {
    private final SegmentMemory memory;
    private final List<ByteBuffer> chunks = new ArrayList<>(1);

    /** Positions of pieces that never came, by their length: the same pieces come again. */
    private final Map<Integer, Deque<Long>> unused = new HashMap<>();

    /** The bytes that were taken: the position of the next piece. */
    private long end;

    OutputMemory(final SegmentMemory memory) {
        this.memory = memory;
    }

    /** The position of room for a piece; negative where there is none. */
    long take(final int length) {
        final Deque<Long> left = unused.get(length);
        if (left != null) {
            final long position = left.pop();
            if (left.isEmpty()) {
                unused.remove(length);
            }
            return position;
        }
        if (!reserve(length)) {
            return -1;
        }
        final long position = end;
        end += length;
        return position;
    }

    /** Takes chunks until a piece fits; where they do not suffice they stay for smaller pieces. */
    private boolean reserve(final int length) {
        while ((long) chunks.size() * memory.chunkBytes() - end < length) {
            final ByteBuffer chunk = memory.take();
            if (chunk == null) {
                return false;
            }
            chunks.add(chunk);
        }
        return true;
    }

    /** Adds views of a range that was taken. */
    void addViews(final long position, final int length, final List<ByteBuffer> views) {
        long at = position;
        int left = length;
        while (left > 0) {
            final int start = (int) (at % memory.chunkBytes());
            final int count = Math.min(left, memory.chunkBytes() - start);
            views.add(chunks.get((int) (at / memory.chunkBytes())).slice(start, count));
            at += count;
            left -= count;
        }
    }

    /** A piece never came, or was there already. */
    void giveBack(final int length, final long position) {
        unused.computeIfAbsent(length, key -> new ArrayDeque<>(1)).push(position);
    }

    /** What it takes of the store's capacity, in bytes. */
    long used() {
        return (long) chunks.size() * memory.chunkBytes();
    }

    /** Gives everything back: nothing reads or writes it any more. */
    void free() {
        memory.give(chunks);
        chunks.clear();
        unused.clear();
    }
}
