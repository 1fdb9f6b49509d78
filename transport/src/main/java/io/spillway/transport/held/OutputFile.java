// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.transport.SegmentFile;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * What one output has of its job's file: its pieces lie one behind the other. Used under its
 * output's lock.
 */
final class OutputFile {
    private final OverflowFile file;
    private final List<OverflowFile.Extent> extents = new ArrayList<>();

    /** Positions of pieces that never came, by their length: the same pieces come again. */
    private final Map<Integer, Deque<Long>> unused = new HashMap<>();

    private OverflowFile.Extent current;
    private long usedOfCurrent;
    private long used;

    /** Takes over a reference on the file. */
    OutputFile(final OverflowFile file) {
        this.file = file;
    }

    /** The position of room for a piece in the file; negative where there is none. */
    long take(final int length) {
        final Deque<Long> left = unused.get(length);
        if (left != null) {
            final long position = left.pop();
            if (left.isEmpty()) {
                unused.remove(length);
            }
            return position;
        }
        if (current == null || current.length() - usedOfCurrent < length) {
            current = file.take(length);
            usedOfCurrent = 0;
            extents.add(current);
        }
        if (!file.charge(current, usedOfCurrent + length)) {
            return -1;
        }
        final long position = current.position() + usedOfCurrent;
        usedOfCurrent += length;
        used += length;
        return position;
    }

    /** A piece never came, or was there already. */
    void giveBack(final int length, final long position) {
        unused.computeIfAbsent(length, key -> new ArrayDeque<>(1)).push(position);
    }

    /** Where a piece lies that was taken. */
    FileRange range(final long position, final int length) {
        return new FileRange(file, position, length);
    }

    /**
     * Where the bytes of a segment are, of which a piece with this position begins at an offset.
     */
    SegmentFile of(final long position, final long offset) {
        return new SegmentFile(file.channel(), position - offset);
    }

    /** The bytes that it takes. */
    long used() {
        return used;
    }

    /** Gives everything back: nothing reads or writes it any more. */
    void free() {
        file.give(extents);
        file.release();
    }
}
