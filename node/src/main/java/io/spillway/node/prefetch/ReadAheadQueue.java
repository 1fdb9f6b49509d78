// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumMap;
import java.util.Map;

/**
 * What is to be read ahead: ranges of blocks by {@link Urgency}, those of one urgency in the order
 * in which they came, and a bounded number of them. Guarded by the prefetcher's lock.
 */
final class ReadAheadQueue {
    /** About 150 KB of heap, whatever the number of reducers and maps. */
    private static final int MAX_RANGES = 4096;

    private final Map<Urgency, Deque<Range>> ranges = new EnumMap<>(Urgency.class);

    ReadAheadQueue() {
        for (final Urgency urgency : Urgency.values()) {
            ranges.put(urgency, new ArrayDeque<>());
        }
    }

    /** Blocks of one file that follow each other; the first ones go as they are read. */
    static final class Range {
        private final ReadAheadFile file;
        private final int last;
        private int next;

        private Range(final ReadAheadFile file, final int first, final int last) {
            this.file = file;
            this.next = first;
            this.last = last;
        }

        ReadAheadFile file() {
            return file;
        }

        /** The number of the first block that is left. */
        int next() {
            return next;
        }
    }

    /**
     * Adds the blocks that hold the bytes {@code from} to {@code to} of a file; none when there are
     * no bytes. Of what reducers ask for the oldest gives way when there is too much, of what they
     * may ask for the newest.
     */
    void add(final Urgency urgency, final ReadAheadFile file, final long from, final long to) {
        if (from >= to) {
            return;
        }
        final Deque<Range> queue = ranges.get(urgency);
        if (queue.size() == MAX_RANGES) {
            if (!urgency.isTransient()) {
                return;
            }
            queue.removeFirst();
        }
        queue.add(new Range(file, file.blockOf(from), file.blockOf(to - 1)));
    }

    /** The first range of an urgency, or null. */
    Range first(final Urgency urgency) {
        return ranges.get(urgency).peekFirst();
    }

    /** Goes on to the next block of the first range. */
    void advance(final Urgency urgency) {
        final Deque<Range> queue = ranges.get(urgency);
        final Range range = queue.getFirst();
        if (range.next == range.last) {
            queue.removeFirst();
        } else {
            range.next++;
        }
    }

    /** Drops the first range of an urgency. */
    void dropFirst(final Urgency urgency) {
        ranges.get(urgency).removeFirst();
    }

    boolean isEmpty() {
        return ranges.values().stream().allMatch(Deque::isEmpty);
    }

    /** Whether there is something that a reducer waits for, or soon will. */
    boolean isUrgent() {
        return first(Urgency.MISSED) != null || first(Urgency.NEXT) != null;
    }

    /** Drops the ranges of files that are not read ahead any more. */
    void dropStale() {
        ranges.values().forEach(queue -> queue.removeIf(range -> range.file.isDropped()));
    }
}
