// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.HeadMemoryException;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.RecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.MergeQueue;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One merge of runs in memory into one, with or without the combiner. Runs once, in the merging
 * thread; {@link #cut} and {@link #abandon} may be called by any thread.
 *
 * <p>It can be cut short after any record, as both halves are sorted: what is written by then is a
 * run, and what the inputs have left is read as another one: of equal keys, the former has the
 * first. A combiner that is cut just gets the rest of a key's values in another call, or never:
 * Hadoop promises no more.
 */
final class InMemoryMerge {
    private static final Logger LOG = LoggerFactory.getLogger(InMemoryMerge.class);

    /**
     * What a merge has done.
     *
     * @param restBytes what it has not read of its inputs
     */
    record Figures(long recordsIn, long recordsOut, long bytesIn, long restBytes, long nanos) {}

    /**
     * What a merge has made.
     *
     * @param chunks what the new run lies in; none when it has no records
     * @param rest what the inputs have left when the merge was cut, else null
     * @param unused chunks that are of no use any more
     * @param exceeded whether the output took more memory than the inputs had
     * @param crowded whether the merge was cut because its keys had no room in memory
     */
    record Result(
            List<Chunk> chunks,
            QueueCursor rest,
            List<Chunk> unused,
            boolean exceeded,
            boolean crowded,
            Figures figures) {
        /** The bytes of the new run. */
        long bytesOut() {
            return chunks.stream().mapToLong(Chunk::length).sum();
        }
    }

    private final List<MemoryRun> inputs;
    private final List<MemoryRunSource> sources;
    private final MergeMemory memory;
    private final RunCursors cursors;
    private final KeyOrder order;
    private final Consumer<Chunk> afterwards;
    private volatile boolean stopped;
    private volatile boolean abandoned;

    // ---- owned by the merging thread ----
    private MergeQueue queue;
    private boolean wasCut;
    private boolean crowded;
    private boolean ended;

    /** What has ended the merge before its end; null while nothing has. */
    private Throwable failure;

    private long recordsIn;
    private long bytesIn;

    /**
     * Prepares a merge: takes the inputs' chunks. Loop's thread.
     *
     * @param take takes the chunks of an input; not used after that
     * @param cursors opens the inputs, and nothing else
     * @param order of a comparator that no other thread uses meanwhile
     * @param afterwards takes the chunks of inputs that are consumed after a cut
     */
    InMemoryMerge(
            final List<MemoryRun> inputs,
            final Function<MemoryRun, List<Chunk>> take,
            final MergeMemory memory,
            final RunCursors cursors,
            final KeyOrder order,
            final Consumer<Chunk> afterwards) {
        this.inputs = inputs;
        this.sources =
                inputs.stream()
                        .map(input -> new MemoryRunSource(take.apply(input), memory::consumed))
                        .toList();
        this.memory = memory;
        this.cursors = cursors;
        this.order = order;
        this.afterwards = afterwards;
    }

    /** Makes the merge hand over what it has, soon. */
    void cut() {
        stopped = true;
    }

    /** Makes the merge end, soon; its result is of no use to anybody. */
    void abandon() {
        abandoned = true;
        stopped = true;
    }

    /**
     * Merges.
     *
     * @param combinerOrNull run over the merged records
     * @throws IOException when an input is corrupt, or as the combiner throws it
     */
    Result run(final RunCombiner combinerOrNull)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long start = System.nanoTime();
        final RunWriter writer = new RunWriter(memory);
        queue = new MergeQueue(open(), order);
        boolean handedOver = false;
        try {
            if (combinerOrNull == null) {
                copy(writer);
            } else {
                combine(combinerOrNull, writer);
            }
            requireAll(combinerOrNull != null, writer.records());
            handedOver = wasCut && !abandoned;
        } finally {
            if (!handedOver) {
                queue.close();
                cursors.records().release();
            }
        }
        final List<Chunk> chunks = writer.end();
        return new Result(
                chunks,
                handedOver ? rest() : null,
                memory.end(afterwards),
                memory.isExceeded(),
                crowded,
                new Figures(
                        recordsIn,
                        writer.records(),
                        bytesIn,
                        inputs.stream().mapToLong(MemoryRun::rawLength).sum() - bytesIn,
                        System.nanoTime() - start));
    }

    /** A combiner need not read to the end, nor pass on what it could not read. */
    private void combine(final RunCombiner combiner, final RunWriter writer)
            throws IOException, InterruptedException, ClassNotFoundException {
        try {
            combiner.combine(this::next, writer);
        } catch (final IOException | RuntimeException e) {
            if (failure == null || failure == e) {
                throw e;
            }
            // The job's code has made another failure of it, which may not name the segment.
            final IOException known = wentOn();
            known.addSuppressed(e);
            throw known;
        }
        while (failure == null && !ended && !wasCut) {
            next();
        }
        if (failure != null) {
            throw wentOn();
        }
    }

    private IOException wentOn() {
        return new IOException("The combiner went on after " + failure, failure);
    }

    /** What the inputs must have; {@link RecordCounts#UNKNOWN} where that is not known of all. */
    private long expected() {
        long sum = 0;
        for (final MemoryRun input : inputs) {
            if (input.records() == RecordCounts.UNKNOWN) {
                return RecordCounts.UNKNOWN;
            }
            sum += input.records();
        }
        return sum;
    }

    private void requireAll(final boolean combined, final long written) throws IOException {
        if (ended) {
            RecordCounts.require("a merge in memory", expected(), recordsIn);
        }
        if (!combined) {
            RecordCounts.require("a run merged in memory", recordsIn, written);
        }
    }

    private QueueCursor rest() {
        final QueueCursor rest = new QueueCursor(queue, cursors.records());
        final long expected = expected();
        if (expected != RecordCounts.UNKNOWN) {
            final long left = expected - recordsIn;
            rest.audit(
                    found -> RecordCounts.require("what a merge in memory has left", left, found));
        }
        return rest;
    }

    private List<RecordCursor> open() throws IOException {
        final List<RecordCursor> opened = new ArrayList<>(inputs.size());
        try {
            for (int i = 0; i < inputs.size(); i++) {
                opened.add(cursors.run(inputs.get(i), sources.get(i)));
            }
        } catch (final IOException e) {
            for (final RecordCursor cursor : opened) {
                cursor.close();
            }
            throw e;
        }
        return opened;
    }

    private void copy(final RunWriter writer) throws IOException {
        RecordCursor record = next();
        while (record != null) {
            writer.append(record.buffer(), record.recordStart(), record.recordLength());
            record = next();
        }
    }

    private RecordCursor next() throws IOException {
        if (failure != null) {
            return null;
        }
        if (stopped || memory.isExceeded()) {
            wasCut = true;
            return null;
        }
        if (!advance()) {
            return null;
        }
        final RecordCursor record = queue.current();
        recordsIn++;
        bytesIn += record.recordLength();
        return record;
    }

    /** Where the next keys have no room in memory the merge ends as if it were cut. */
    private boolean advance() throws IOException {
        try {
            ended = !queue.next();
            return !ended;
        } catch (final HeadMemoryException e) {
            LOG.debug("A merge in memory is cut", e);
            crowded = true;
            wasCut = true;
            return false;
        } catch (final Throwable e) {
            // The queue may stand between two records: what it would give next may be wrong.
            failure = e;
            throw e;
        }
    }
}
