// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.HeadMemoryException;
import io.spillway.ifile.RecordBuffer;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentWriter;
import io.spillway.ifile.StreamRecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.MergeQueue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.Text;
import org.junit.jupiter.api.Test;

class BoundedMergeTest {
    private static final int DECODER = 1000;
    private static final KeyOrder ORDER = KeyOrders.of(new Text.Comparator());

    /** The merges of one test: their runs are read in small pieces, from memory. */
    private static final class Merges implements BoundedMerge.RunMerger {
        final Random random;
        final HeadMemory memory;
        final RecordBuffer records;
        int merges;
        long mergedBytes;

        Merges(final Random random, final HeadMemory memory) {
            this.random = random;
            this.memory = memory;
            this.records = new RecordBuffer(memory);
        }

        BoundedMerge of(final List<RecordCursor> runs) {
            return new BoundedMerge(runs, ORDER, memory, this);
        }

        @Override
        public RecordCursor merge(final List<RecordCursor> inputs) throws IOException {
            assertThat(inputs).hasSizeGreaterThan(1);
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            try (BoundedMerge merge = of(inputs);
                    SegmentWriter writer = new SegmentWriter(out, null)) {
                while (merge.next()) {
                    append(writer, merge.current());
                }
                writer.endSegment();
            }
            merges++;
            mergedBytes += out.size();
            return open(out.toByteArray(), records, 0);
        }

        /** Opens an uncompressed segment, in one of the ways in which the reducer opens runs. */
        RecordCursor open(final byte[] stored, final RecordBuffer buffer) {
            return open(stored, buffer, DECODER);
        }

        private RecordCursor open(
                final byte[] stored, final RecordBuffer buffer, final int decoder) {
            final byte[] content = Arrays.copyOf(stored, stored.length - SegmentChecksum.LENGTH);
            if (random.nextBoolean()) {
                final int chunk = 1 + random.nextInt(200);
                return new ChunkCursor(new ChunkCursorTest.Cut(content, chunk, random), buffer);
            }
            return new StreamRecordCursor(
                    new ByteArrayInputStream(content), 100, buffer, content.length, decoder);
        }
    }

    private static void append(final SegmentWriter writer, final RecordCursor record)
            throws IOException {
        writer.append(record.buffer(), record.recordStart(), record.recordLength());
    }

    private static TestSegment segment(final Random random, final int records, final int most)
            throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            final String key = "key" + random.nextInt(50);
            entries.add(
                    new TestSegment.Entry(
                            key + "k".repeat(length(random, most)),
                            i + "v".repeat(length(random, most))));
        }
        return TestSegment.of(entries, null);
    }

    /** Mostly small ones. */
    private static int length(final Random random, final int most) {
        return random.nextInt(random.nextInt(3) == 0 ? most : Math.min(most, 10));
    }

    @Property(tries = 400)
    void mergesInOrderWithinItsMemory(
            @ForAll @IntRange(max = 40) final int runs,
            @ForAll @IntRange(max = 20) final int records,
            @ForAll @IntRange(min = 1, max = 3000) final int most,
            @ForAll @IntRange(max = 40_000) final int limit,
            @ForAll @IntRange(max = 40 * DECODER) final int decoderLimit,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final List<TestSegment> segments = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            segments.add(segment(random, random.nextInt(records + 1), most));
        }
        final HeadMemory memory = new HeadMemory(limit, runs, decoderLimit);
        final Merges merges = new Merges(random, memory);
        final List<RecordBuffer> buffers = new ArrayList<>(List.of(merges.records));

        final List<TestSegment.Entry> read;
        try (BoundedMerge merge = merges.of(open(segments, merges, buffers))) {
            read = TestSegment.readAll(records(merge));
        }

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        final long key = most + 20L;
        final long record = Math.max(2L * most + 40, Math.max(64, limit / 4));
        final long small = (long) (runs + merges.merges) * memory.keptHeadBytes();
        assertThat(memory.peakBytes())
                .isLessThanOrEqualTo(limit + 3 * key + buffers.size() * record + small);
        assertThat(memory.decoderPeakBytes()).isLessThanOrEqualTo(decoderLimit + 3L * DECODER);
        buffers.forEach(RecordBuffer::release);
        assertThat(memory.usedBytes()).as("given back").isZero();
    }

    /** Opens runs: each for itself, or a merge of some that was cut, and what it had written. */
    private static List<RecordCursor> open(
            final List<TestSegment> segments, final Merges merges, final List<RecordBuffer> buffers)
            throws IOException {
        final List<RecordCursor> opened = new ArrayList<>();
        int next = 0;
        while (next < segments.size()) {
            final int count = merges.random.nextInt(4) > 0 ? 1 : 1 + merges.random.nextInt(6);
            final int end = Math.min(segments.size(), next + count);
            final List<TestSegment> some = segments.subList(next, end);
            if (some.size() == 1) {
                opened.add(merges.open(some.get(0).bytes(), merges.records));
            } else {
                openCut(some, merges, opened, buffers);
            }
            next = end;
        }
        return opened;
    }

    private static void openCut(
            final List<TestSegment> segments,
            final Merges merges,
            final List<RecordCursor> opened,
            final List<RecordBuffer> buffers)
            throws IOException {
        final RecordBuffer buffer = new RecordBuffer(merges.memory);
        buffers.add(buffer);
        final MergeQueue queue =
                new MergeQueue(
                        segments.stream().map(one -> merges.open(one.bytes(), buffer)).toList(),
                        ORDER);
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            writeSome(queue, merges.random.nextInt(60), writer);
            writer.endSegment();
        }
        opened.add(merges.open(out.toByteArray(), merges.records));
        opened.add(new QueueCursor(queue, buffer));
    }

    /** Ends early where a head has no room, as a merge in memory does. */
    private static void writeSome(
            final MergeQueue queue, final int count, final SegmentWriter writer)
            throws IOException {
        try {
            for (int i = 0; i < count && queue.next(); i++) {
                append(writer, queue.current());
            }
        } catch (final HeadMemoryException e) {
            assertThat(e).hasMessageContaining("expected room");
        }
    }

    private static MergedRecords records(final BoundedMerge merge) {
        return new MergedRecords(
                merge, 1000, () -> {}, part -> {}, new ChunkCursorTest.NoMilestones());
    }

    /** Ended parts of split runs lie between open ones here. */
    @Test
    void mergesNeighboursAcrossEndedRuns() throws IOException {
        mergesInOrderWithinItsMemory(39, 1, 1, 0, 0, -1091712L);
    }

    /** Every record goes through few merges, even where two keys fill the memory. */
    @Test
    void mergesBeforehandInLevels() throws IOException {
        final Random random = new Random(2);
        final List<TestSegment> segments = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < 64; i++) {
            final TestSegment one =
                    TestSegment.of(
                            List.of(
                                    new TestSegment.Entry("a" + "k".repeat(1000), "1"),
                                    new TestSegment.Entry("b" + "k".repeat(1000), "2")),
                            null);
            segments.add(one);
            bytes += one.bytes().length;
        }
        final HeadMemory memory = new HeadMemory(10_000, 64, 64 * DECODER);
        final Merges merges = new Merges(random, memory);
        final List<RecordCursor> opened = new ArrayList<>();
        for (final TestSegment one : segments) {
            opened.add(merges.open(one.bytes(), merges.records));
        }
        try (BoundedMerge merge = merges.of(opened)) {
            assertThat(TestSegment.readAll(records(merge))).isEqualTo(TestSegment.merged(segments));
        }
        assertThat(merges.merges).isBetween(2, 32);
        assertThat(merges.mergedBytes).isLessThan(4 * bytes);
    }
}
