// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.spi.SortedSpill;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.RecordBuffer;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.ifile.SegmentInputStream;
import io.spillway.ifile.StreamRecordCursor;
import io.spillway.ifile.VInts;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.MergeQueue;
import io.spillway.sort.SortedRecords;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * Merges spills, and the records still in the sort buffer, partition by partition. The keys of all
 * spills' heads are in memory and one value, as in stock's merge. One thread.
 */
final class SpillMerger {
    private static final int READ_MEMORY = 16 << 20;
    private static final int MIN_READ_BUFFER = 8 << 10;
    private static final int MAX_READ_BUFFER = 128 << 10;

    private final KeyOrder order;
    private final CompressionCodec codec;
    private final SegmentCipher cipher;
    private final JobCode jobCode;

    SpillMerger(
            final KeyOrder order,
            final CompressionCodec codec,
            final SegmentCipher cipher,
            final JobCode jobCode) {
        this.order = order;
        this.codec = codec;
        this.cipher = cipher;
        this.jobCode = jobCode;
    }

    /**
     * Merges into the sink's remaining partitions.
     *
     * @param rest the records still in the sort buffer, or null
     * @param onPartition called after each partition
     */
    void merge(
            final List<SortedSpill> spills,
            final SortedRecords rest,
            final PartitionWriter sink,
            final Runnable onPartition)
            throws IOException, InterruptedException, ClassNotFoundException {
        final RecordBuffer records = records(spills.size());
        spills.forEach(spill -> sink.addCombinedAway(spill.combinedAway()));
        while (!sink.complete()) {
            jobCode.call(
                    () -> {
                        mergePartition(spills, rest, sink, records);
                        return null;
                    });
            onPartition.run();
        }
    }

    private void mergePartition(
            final List<SortedSpill> spills,
            final SortedRecords rest,
            final PartitionWriter sink,
            final RecordBuffer records)
            throws IOException, InterruptedException, ClassNotFoundException {
        final long expected = count(spills, rest, sink.partition());
        try (MergeQueue queue =
                new MergeQueue(open(spills, rest, sink.partition(), records), order)) {
            sink.writeMerge(queue, expected);
        }
    }

    private static long count(
            final List<SortedSpill> spills, final SortedRecords rest, final int partition) {
        long sum = rest == null ? 0 : rest.partitionEnd(partition) - rest.partitionStart(partition);
        for (final SortedSpill spill : spills) {
            final long records = spill.counts().of(partition);
            if (records == RecordCounts.UNKNOWN) {
                return RecordCounts.UNKNOWN;
            }
            sum += records;
        }
        return sum;
    }

    /** No key is refused: a merge of spills is not made in levels. */
    private static RecordBuffer records(final int spills) {
        final HeadMemory memory = new HeadMemory(READ_MEMORY, spills, 0);
        memory.overdraft(true);
        return new RecordBuffer(memory);
    }

    private List<RecordCursor> open(
            final List<SortedSpill> spills,
            final SortedRecords rest,
            final int partition,
            final RecordBuffer records)
            throws IOException {
        final int bufferSize =
                Math.max(
                        MIN_READ_BUFFER,
                        Math.min(MAX_READ_BUFFER, READ_MEMORY / Math.max(1, spills.size())));
        final List<RecordCursor> cursors = new ArrayList<>(spills.size() + 1);
        try {
            for (final SortedSpill spill : spills) {
                final IndexEntry entry = spill.index().get(partition);
                if (entry.rawLength() > cipher.headerLength() + VInts.END_MARKER_LENGTH) {
                    final RecordCursor cursor = open(spill, entry, bufferSize, records);
                    cursor.audit(found -> requireAll(spill, partition, found));
                    cursors.add(cursor);
                }
            }
        } catch (final IOException e) {
            closeAll(cursors, e);
            throw e;
        }
        if (rest != null) {
            cursors.add(
                    new RangeCursor(
                            rest, rest.partitionStart(partition), rest.partitionEnd(partition)));
        }
        return cursors;
    }

    private static void requireAll(final SortedSpill spill, final int partition, final long found)
            throws IOException {
        RecordCounts.require(
                "partition " + partition + " of a spill in tier " + spill.data().store(),
                spill.counts().of(partition),
                found);
    }

    private RecordCursor open(
            final SortedSpill spill,
            final IndexEntry entry,
            final int bufferSize,
            final RecordBuffer records)
            throws IOException {
        final InputStream stored = spill.data().open(entry.startOffset(), entry.partLength());
        return new StreamRecordCursor(
                new SegmentInputStream(stored, entry.partLength(), codec, cipher),
                bufferSize,
                records,
                entry.rawLength(),
                0);
    }

    private static void closeAll(final List<RecordCursor> cursors, final IOException cause) {
        for (final RecordCursor cursor : cursors) {
            try {
                cursor.close();
            } catch (final IOException e) {
                cause.addSuppressed(e);
            }
        }
    }
}
