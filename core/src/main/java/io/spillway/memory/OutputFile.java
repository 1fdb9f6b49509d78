package io.spillway.memory;

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

    /** Room of pieces that never came, by its length: the same pieces come again. */
    private final Map<Integer, Deque<FileRange>> unused = new HashMap<>();

    private OverflowFile.Extent current;
    private long usedOfCurrent;
    private long used;

    /** Takes over a reference on the file. */
    OutputFile(final OverflowFile file) {
        this.file = file;
    }

    /** Whether room of this length was given back. */
    boolean hasUnused(final int length) {
        final Deque<FileRange> left = unused.get(length);
        return left != null && !left.isEmpty();
    }

    /** Room for a piece; null where there is none. */
    FileRange take(final int length) {
        if (hasUnused(length)) {
            return unused.get(length).pop();
        }
        if (current == null || current.length() - usedOfCurrent < length) {
            current = file.take(length);
            usedOfCurrent = 0;
            extents.add(current);
        }
        if (!file.charge(current, usedOfCurrent + length)) {
            return null;
        }
        final FileRange range = new FileRange(file, current.position() + usedOfCurrent, length);
        usedOfCurrent += length;
        used += length;
        return range;
    }

    /** A piece never came, or was there already. */
    void giveBack(final FileRange range) {
        unused.computeIfAbsent(range.length(), key -> new ArrayDeque<>()).push(range);
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
