// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The free parts of a piece of memory: halves of halves, down to a smallest one. A part that is
 * given back joins the other half where that is free too. All lengths are powers of two.
 */
final class Buddies {
    private final int minBytes;

    /** The offsets of the free parts by their length, the smallest first. */
    private final List<ArrayDeque<Integer>> free = new ArrayList<>();

    /** All of it is free. */
    Buddies(final int bytes, final int minBytes) {
        this.minBytes = minBytes;
        final int orders = orderOf(bytes) + 1;
        for (int order = 0; order < orders; order++) {
            free.add(new ArrayDeque<>());
        }
        free.get(orders - 1).add(0);
    }

    /** The length of the part that is taken for so many bytes, at least 1. */
    static int partFor(final int bytes, final int minBytes) {
        return Math.max(minBytes, Integer.highestOneBit(bytes - 1) << 1);
    }

    private int orderOf(final int part) {
        return Integer.numberOfTrailingZeros(part) - Integer.numberOfTrailingZeros(minBytes);
    }

    /** Takes a part: its offset, or -1 where none of that length is free. */
    int take(final int part) {
        final int order = orderOf(part);
        int from = order;
        while (from < free.size() && free.get(from).isEmpty()) {
            from++;
        }
        if (from >= free.size()) {
            return -1;
        }
        final int offset = free.get(from).pop();
        while (from > order) {
            from--;
            free.get(from).push(offset + (minBytes << from));
        }
        return offset;
    }

    /** Gives a part back. */
    void putBack(final int takenAt, final int part) {
        int offset = takenAt;
        int order = orderOf(part);
        while (order < free.size() - 1 && free.get(order).remove(offset ^ (minBytes << order))) {
            offset &= ~(minBytes << order);
            order++;
        }
        free.get(order).push(offset);
    }

    /** Whether nothing is taken. */
    boolean isWhole() {
        return !free.get(free.size() - 1).isEmpty();
    }
}
