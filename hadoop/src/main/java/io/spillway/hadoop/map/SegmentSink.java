package io.spillway.hadoop.map;

import io.spillway.hadoop.combine.Combiner;
import io.spillway.hadoop.combine.CursorIterator;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.SegmentWriter;
import io.spillway.sort.MergeQueue;
import io.spillway.sort.RecordCursor;
import io.spillway.sort.SortedRecords;
import io.spillway.store.Spill;
import java.io.IOException;
import java.io.OutputStream;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.util.Progressable;

/**
 * Writes one file of segments, partition after partition, and its index: a spill or a map output.
 * One thread.
 */
final class SegmentSink<K, V> implements AutoCloseable {
    /** Writes all partitions of a sink. */
    @FunctionalInterface
    interface Filler<K, V> {
        /** Writes until the sink is complete. */
        void fill(SegmentSink<K, V> sink)
                throws IOException, InterruptedException, ClassNotFoundException;
    }

    /** How many records are written between two signs of life. */
    private static final int PROGRESS_MASK = (1 << 16) - 1;

    private final SegmentWriter writer;
    private final MapOutputIndex index;
    private final Combiner<K, V> combiner;
    private final Progressable progress;
    private int partition;

    /**
     * Opens a sink.
     *
     * @param out where the segments go; not closed
     * @param codec the map output codec, or null
     * @param blockLength the bytes of output that have a checksum of their own
     * @param combiner the combiner to run over every non-empty partition, or null
     */
    SegmentSink(
            final OutputStream out,
            final int partitions,
            final CompressionCodec codec,
            final int blockLength,
            final Combiner<K, V> combiner,
            final Progressable progress)
            throws IOException {
        this.writer = new SegmentWriter(out, codec, blockLength);
        this.index = new MapOutputIndex(partitions);
        this.combiner = combiner;
        this.progress = progress;
    }

    /** Writes the next partition's segment from records in the sort buffer. */
    void writeRange(final SortedRecords records)
            throws IOException, InterruptedException, ClassNotFoundException {
        final int start = records.partitionStart(partition);
        final int end = records.partitionEnd(partition);
        if (combiner != null && start < end) {
            combiner.combine(
                    CursorIterator.of(new RangeCursor(records, start, end)), writer::append);
        } else {
            gather(records, start, end);
        }
        endSegment();
    }

    /** The gather-write: one array copy a record, in sorted order. */
    private void gather(final SortedRecords records, final int start, final int end)
            throws IOException {
        final byte[] data = records.data();
        for (int i = start; i < end; i++) {
            writer.append(data, records.recordOffset(i), records.recordLength(i));
            if ((i & PROGRESS_MASK) == 0) {
                progress.progress();
            }
        }
    }

    /** Writes the next partition's segment from a merge. */
    void writeMerge(final MergeQueue queue)
            throws IOException, InterruptedException, ClassNotFoundException {
        if (combiner != null) {
            combiner.combine(CursorIterator.of(queue), writer::append);
        } else {
            copy(queue);
        }
        endSegment();
    }

    private void copy(final MergeQueue queue) throws IOException {
        int copied = 0;
        while (queue.next()) {
            final RecordCursor record = queue.current();
            writer.append(record.buffer(), record.recordStart(), record.recordLength());
            if ((++copied & PROGRESS_MASK) == 0) {
                progress.progress();
            }
        }
    }

    /** Writes the next partition's segment with one record, or empty. */
    void writeSingle(
            final boolean here, final byte[] data, final int keyLength, final int valueLength)
            throws IOException {
        if (here) {
            writer.append(data, 0, keyLength, data, keyLength, valueLength);
        }
        endSegment();
    }

    private void endSegment() throws IOException {
        index.put(partition++, writer.endSegment());
        progress.progress();
    }

    /** The partition that is written next. */
    int partition() {
        return partition;
    }

    /** Whether every partition has its segment. */
    boolean complete() {
        return partition == index.partitions();
    }

    /** The spill, or output, that was written to {@code data}. */
    SortedSpill of(final Spill data) {
        return new SortedSpill(data, index, writer.blockChecksums());
    }

    long recordsWritten() {
        return writer.recordsWritten();
    }

    @Override
    public void close() {
        writer.close();
    }
}
