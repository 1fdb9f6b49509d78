// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.spi.RunCombiner;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.ifile.SegmentWriter;
import io.spillway.sort.MergeQueue;
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
final class PartitionWriter implements AutoCloseable {
    /** Writes all partitions of a sink. */
    @FunctionalInterface
    interface Filler {
        /** Writes until the sink is complete. */
        void fill(PartitionWriter sink)
                throws IOException, InterruptedException, ClassNotFoundException;
    }

    /** Learns where a segment ends, with the call after its last byte was written. */
    @FunctionalInterface
    interface SegmentEnd {
        /** So much, and so many records, were written since the last call. */
        void ended(IndexEntry segment, long records) throws IOException;
    }

    /** How much work lies between two signs of life; a byte is one, and so is a record's 1/1024. */
    private static final int PROGRESS_WORK = 1 << 20;

    private static final int RECORD_WORK = 1 << 10;

    private final SegmentWriter writer;
    private final SegmentEnd segmentEnd;
    private final MapOutputIndex index;
    private final RunCombiner combiner;
    private final Progressable progress;
    private int partition;

    /** The records that a merge has given for the segment. */
    private long given;

    private long combinedAway;

    /** What failed below the combiner; null while nothing has. */
    private Throwable failure;

    /** Since the last sign of life; at most a record above {@link #PROGRESS_WORK}. */
    private long work;

    /**
     * Opens a sink.
     *
     * @param out where the segments go; not closed
     * @param segmentEnd learns where they end
     * @param codec the map output codec, or null
     * @param cipher of the stored segments
     * @param blockLength the bytes of output that have a checksum of their own, or {@link
     *     SegmentWriter#NO_BLOCKS}
     * @param combiner the combiner to run over every non-empty partition, or null
     */
    PartitionWriter(
            final OutputStream out,
            final SegmentEnd segmentEnd,
            final int partitions,
            final CompressionCodec codec,
            final SegmentCipher cipher,
            final int blockLength,
            final RunCombiner combiner,
            final Progressable progress)
            throws IOException {
        this.writer = new SegmentWriter(out, codec, cipher, blockLength);
        this.segmentEnd = segmentEnd;
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
            combine(counted(new RangeCursor(records, start, end)));
        } else {
            gather(records, start, end);
        }
        endSegment(end - start, combiner != null);
    }

    /** The gather-write: one array copy a record, in sorted order. */
    private void gather(final SortedRecords records, final int start, final int end)
            throws IOException {
        final byte[] data = records.data();
        for (int i = start; i < end; i++) {
            final int length = records.recordLength(i);
            writer.append(data, records.recordOffset(i), length);
            worked(length);
        }
    }

    /**
     * Writes the next partition's segment from a merge.
     *
     * @param expected the records of all that is merged, or {@link RecordCounts#UNKNOWN}
     * @throws IOException also when the merge has more or fewer
     */
    void writeMerge(final MergeQueue queue, final long expected)
            throws IOException, InterruptedException, ClassNotFoundException {
        given = 0;
        if (combiner != null) {
            combine(counted(queue, expected));
        } else {
            copy(queue);
            requireGiven(expected);
        }
        endSegment(expected == RecordCounts.UNKNOWN ? given : expected, combiner != null);
    }

    private void requireGiven(final long expected) throws IOException {
        RecordCounts.require("the merge of partition " + partition, expected, given);
    }

    private void copy(final MergeQueue queue) throws IOException {
        while (queue.next()) {
            final RecordCursor record = queue.current();
            writer.append(record.buffer(), record.recordStart(), record.recordLength());
            given++;
            worked(record.recordLength());
        }
    }

    /**
     * Runs the combiner over a partition. What fails below it fails the partition, even where the
     * combiner's own code has caught that: records are missing then.
     */
    private void combine(final RunCombiner.Records records)
            throws IOException, InterruptedException, ClassNotFoundException {
        combiner.combine(() -> next(records), this::append);
        if (failure != null) {
            throw new IOException("The combiner went on after " + failure, failure);
        }
    }

    private RecordCursor next(final RunCombiner.Records records) throws IOException {
        try {
            return records.next();
        } catch (final Throwable e) {
            failure = e;
            throw e;
        }
    }

    private void append(
            final byte[] key,
            final int keyOffset,
            final int keyLength,
            final byte[] value,
            final int valueOffset,
            final int valueLength)
            throws IOException {
        try {
            writer.append(key, keyOffset, keyLength, value, valueOffset, valueLength);
        } catch (final Throwable e) {
            failure = e;
            throw e;
        }
    }

    /** Comparing keys and combining them run the job's code, which may be slow. */
    private RunCombiner.Records counted(final RecordCursor cursor) {
        return () -> {
            worked(0);
            return cursor.next() ? cursor : null;
        };
    }

    /** A combiner need not read to the end: only where it does, all records must have come. */
    private RunCombiner.Records counted(final MergeQueue queue, final long expected) {
        return () -> {
            worked(0);
            if (!queue.next()) {
                requireGiven(expected);
                return null;
            }
            given++;
            return queue.current();
        };
    }

    private void worked(final int bytes) {
        work += RECORD_WORK + bytes;
        if (work >= PROGRESS_WORK) {
            work = 0;
            progress.progress();
        }
    }

    /** Writes the next partition's segment with one record, or empty. */
    void writeSingle(
            final boolean here, final byte[] data, final int keyLength, final int valueLength)
            throws IOException {
        if (here) {
            writer.append(data, 0, keyLength, data, keyLength, valueLength);
        }
        endSegment(here ? 1 : 0, false);
    }

    private void endSegment(final long taken, final boolean combined) throws IOException {
        final IndexEntry written = writer.endSegment();
        final long records = writer.lastCount();
        if (combined) {
            combinedAway += taken - records;
        } else {
            RecordCounts.require("partition " + partition + " as written", taken, records);
        }
        segmentEnd.ended(written, records);
        index.put(partition++, written);
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
        return new SortedSpill(
                data,
                index,
                writer.blockChecksums(),
                writer.longestKey(),
                writer.recordCounts(),
                writer.recordsWritten(),
                combinedAway);
    }

    /** So many records were combined away before, in what is merged here. */
    void addCombinedAway(final long records) {
        combinedAway += records;
    }

    /** The records that were collected for what is written here, less those written. */
    long combinedAway() {
        return combinedAway;
    }

    long recordsWritten() {
        return writer.recordsWritten();
    }

    @Override
    public void close() {
        writer.close();
    }
}
