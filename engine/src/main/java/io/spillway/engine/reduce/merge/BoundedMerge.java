// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.HeadMemoryException;
import io.spillway.ifile.RecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.MergeQueue;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * Merges any number of runs within the memory that there is for heads. One thread.
 *
 * <p>Mostly all runs are merged at once. Where the keys of all heads, or the decoders of compressed
 * runs, have no room, neighbouring runs are merged into one beforehand, whose head is one: as many
 * as there is room for, if so many have to be, and never more than half of all that are left once
 * the merge is under way. That is repeated, so that every record goes through few such merges.
 * Neighbours only, for equal keys come in the order of the runs.
 *
 * <p>Each step opens a run or makes the runs fewer, and a head that cannot be given room in this
 * way is granted beyond the limit: at most three of them are in memory at a time.
 */
public final class BoundedMerge implements Closeable {
    /** Merges runs into one that takes little memory. */
    @FunctionalInterface
    interface RunMerger {
        /**
         * Merges.
         *
         * @param inputs at least two, in their order; closed afterwards, failed or not
         */
        RecordCursor merge(List<RecordCursor> inputs) throws IOException;
    }

    /** Some neighbouring runs: the first, and the one behind the last. */
    private record Range(int from, int to, long heldBytes) {}

    /** A run holds next to nothing with less than this part of what others hold. */
    private static final int LIGHT_PARTS = 16;

    private final KeyOrder order;
    private final HeadMemory memory;
    private final RunMerger merger;
    private final List<RecordCursor> runs;

    /** Those of which the parts were taken into {@link #runs}. */
    private final List<QueueCursor> split = new ArrayList<>();

    /** Null as long as runs have to be opened. */
    private MergeQueue queue;

    /** Whether all runs were open once. */
    private boolean started;

    /**
     * Creates a merge; nothing is read yet.
     *
     * @param cursors belong to the merge from here on
     * @param memory what the cursors claim their heads from
     */
    public BoundedMerge(
            final Collection<? extends RecordCursor> cursors,
            final KeyOrder order,
            final HeadMemory memory,
            final RunMerger merger) {
        this.runs = new ArrayList<>(cursors);
        this.order = order;
        this.memory = memory;
        this.merger = merger;
    }

    /**
     * Goes to the next record of all runs.
     *
     * @return false when every run has ended
     * @throws IOException when a run is lost or corrupt, or cannot be written
     */
    boolean next() throws IOException {
        while (true) {
            if (queue == null) {
                queue = open();
            }
            try {
                return queue.next();
            } catch (final HeadMemoryException e) {
                queue = null;
            }
        }
    }

    /** The run whose record is the current one, after {@link #next} returned true. */
    RecordCursor current() {
        return queue.current();
    }

    private MergeQueue open() throws IOException {
        removeEnded();
        memory.opening(true);
        try {
            openAll();
        } finally {
            memory.opening(false);
        }
        started = true;
        return new MergeQueue(runs, order);
    }

    private void openAll() throws IOException {
        while (!runs.stream().allMatch(BoundedMerge::isOpen)) {
            int index = 0;
            while (index < runs.size()) {
                index = isOpen(runs.get(index)) ? index + 1 : open(index);
            }
        }
    }

    private static boolean isOpen(final RecordCursor run) {
        return run.hasRecord() || run.ended();
    }

    private void removeEnded() throws IOException {
        for (final RecordCursor run : runs) {
            if (run.ended()) {
                run.close();
            }
        }
        runs.removeIf(RecordCursor::ended);
    }

    /**
     * Goes to a run's next head, or makes room for it.
     *
     * @return where to go on
     */
    private int open(final int index) throws IOException {
        final RecordCursor run = runs.get(index);
        try {
            return opened(index, run.nextHead());
        } catch (final HeadMemoryException e) {
            return makeRoom(index, run);
        }
    }

    /** Ended parts of a run that is split go at once: they would keep neighbours apart. */
    private int makeRoom(final int index, final RecordCursor run) throws IOException {
        if (run instanceof QueueCursor rest) {
            split.add(rest);
            runs.remove(index);
            runs.addAll(index, rest.runs());
            removeEnded();
            return index;
        }
        final Range range = largest();
        if (range == null) {
            return opened(index, openBeyondLimit(run));
        }
        mergeBeforehand(range);
        return range.from < index ? range.from + 1 : index;
    }

    /** A run without a record gives back at once what it has taken. */
    private int opened(final int index, final boolean hasRecord) throws IOException {
        if (hasRecord) {
            return index + 1;
        }
        runs.remove(index).close();
        return index;
    }

    private boolean openBeyondLimit(final RecordCursor run) throws IOException {
        memory.overdraft(true);
        try {
            return run.nextHead();
        } finally {
            memory.overdraft(false);
        }
    }

    private void mergeBeforehand(final Range range) throws IOException {
        final List<RecordCursor> inputs = runs.subList(range.from, range.to);
        memory.opening(false);
        final RecordCursor merged = merger.merge(List.copyOf(inputs));
        memory.opening(true);
        inputs.clear();
        runs.add(range.from, merged);
    }

    /** The open neighbours that hold the most memory; null where no two are neighbours. */
    private Range largest() {
        final int most = mostMerged();
        Range largest = null;
        int from = 0;
        for (int i = 0; i <= runs.size(); i++) {
            if (i == runs.size() || !runs.get(i).hasRecord()) {
                final Range range = part(from, i, most);
                if (range != null && (largest == null || range.heldBytes > largest.heldBytes)) {
                    largest = range;
                }
                from = i + 1;
            }
        }
        return largest;
    }

    /**
     * How many runs to merge at once. Before the merge that is about what makes room for those that
     * wait; later, as other keys may be longer as well, half of all.
     */
    private int mostMerged() {
        if (started) {
            return Math.max(2, runs.size() / 2);
        }
        final int waiting = (int) runs.stream().filter(run -> !isOpen(run)).count();
        return 2 + waiting + waiting / 4;
    }

    /**
     * At most so many of some neighbours, from that end that holds more memory. Runs at the ends
     * that hold next to nothing stay out: to merge them frees nothing. So what was merged for want
     * of decoders is not merged again with the next ones.
     */
    private Range part(final int from, final int to, final int most) {
        if (to - from < 2) {
            return null;
        }
        final long little = range(from, to).heldBytes / (to - from) / LIGHT_PARTS;
        int first = from;
        while (to - first > 2 && runs.get(first).heldBytes() < little) {
            first++;
        }
        int end = to;
        while (end - first > 2 && runs.get(end - 1).heldBytes() < little) {
            end--;
        }
        return partOf(first, end, most);
    }

    private Range partOf(final int from, final int to, final int most) {
        if (to - from <= most) {
            return range(from, to);
        }
        final Range first = range(from, from + most);
        final Range last = range(to - most, to);
        return first.heldBytes >= last.heldBytes ? first : last;
    }

    private Range range(final int from, final int to) {
        final long held = runs.subList(from, to).stream().mapToLong(RecordCursor::heldBytes).sum();
        return new Range(from, to, held);
    }

    /** Closes every run. Idempotent. */
    @Override
    public void close() throws IOException {
        final List<RecordCursor> all = new ArrayList<>(runs);
        all.addAll(split);
        new MergeQueue(all, order).close();
    }
}
