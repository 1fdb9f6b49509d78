// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.RecordBuffer;
import io.spillway.sort.KeyOrders;
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

class ChunkCursorTest {
    /**
     * Cuts bytes into slices of larger arrays; overwrites each one that is released, as a pool
     * would.
     */
    static final class Cut implements ChunkSource {
        private final byte[] bytes;
        private final Random random;
        private final int maxChunk;
        private int position;
        private int lent;

        Cut(final byte[] bytes, final int maxChunk, final Random random) {
            this.bytes = bytes;
            this.maxChunk = maxChunk;
            this.random = random;
        }

        @Override
        public long totalBytes() {
            return bytes.length;
        }

        @Override
        public Chunk next() {
            assertThat(lent).as("chunks held while waiting").isZero();
            if (position == bytes.length) {
                return null;
            }
            final int count = Math.min(1 + random.nextInt(maxChunk), bytes.length - position);
            final int offset = random.nextInt(40);
            final byte[] slab = new byte[offset + maxChunk + random.nextInt(40)];
            Arrays.fill(slab, (byte) 0x5A);
            final Chunk chunk = new Chunk(slab, offset, maxChunk);
            System.arraycopy(bytes, position, slab, offset, count);
            chunk.length(count);
            position += count;
            lent++;
            return chunk;
        }

        @Override
        public void release(final Chunk chunk) {
            Arrays.fill(chunk.bytes(), (byte) 0xA5);
            lent--;
        }

        @Override
        public void close() {}
    }

    private static byte[] content(final TestSegment segment) {
        return Arrays.copyOf(segment.bytes(), segment.bytes().length - SegmentChecksum.LENGTH);
    }

    private static ChunkCursor cursor(final ChunkSource source) {
        return new ChunkCursor(source, new RecordBuffer(new HeadMemory(1 << 20, 1, 0)));
    }

    @Property(tries = 300)
    void readsEveryRecordHoweverItIsCut(
            @ForAll @IntRange(min = 0, max = 60) final int records,
            @ForAll @IntRange(min = 0, max = 400) final int maxValue,
            @ForAll @IntRange(min = 1, max = 64) final int maxChunk,
            @ForAll @IntRange(min = 64, max = 500) final int kept,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final List<TestSegment> segments = new ArrayList<>();
        final List<ChunkCursor> cursors = new ArrayList<>();
        final RecordBuffer shared = new RecordBuffer(new HeadMemory(kept * 3L * 4, 3, 0));
        for (int i = 0; i < 3; i++) {
            final TestSegment segment = TestSegment.random(random, records, maxValue, null);
            segments.add(segment);
            cursors.add(new ChunkCursor(new Cut(content(segment), maxChunk, random), shared));
        }
        final MergedRecords merged =
                new MergedRecords(
                        new BoundedMerge(
                                cursors,
                                KeyOrders.of(new Text.Comparator()),
                                shared.memory(),
                                inputs -> {
                                    throw new AssertionError("there is room for all heads");
                                }),
                        1000,
                        () -> {},
                        part -> {},
                        new NoMilestones());

        assertThat(TestSegment.readAll(merged)).isEqualTo(TestSegment.merged(segments));
    }

    static final class NoMilestones implements MergedRecords.Listener {
        @Override
        public void onAllGiven(final long records) {}

        @Override
        public void onFirstRecord() {}

        @Override
        public void onEnd() {}

        @Override
        public void onFailure(final Throwable cause) {}
    }

    @Test
    void aLengthBeyondTheSegmentIsRefusedWithoutAllocatingIt() {
        // keyLength=0x7FFFFF00, valueLength=0
        final byte[] bytes = {-116, 0x7F, -1, -1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
        final ChunkCursor cursor = cursor(new Cut(bytes, 4, new Random(1)));

        assertThatThrownBy(cursor::next)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Truncated run");
    }

    @Test
    void aSegmentWithoutEndMarkerIsTruncated() throws IOException {
        final TestSegment segment = TestSegment.random(new Random(3), 20, 50, null);
        final byte[] content = content(segment);
        final byte[] cut = Arrays.copyOf(content, content.length - 2);
        final ChunkCursor cursor = cursor(new Cut(cut, 16, new Random(1)));

        assertThatThrownBy(
                        () -> {
                            while (cursor.next()) {
                                assertThat(cursor.recordLength()).isPositive();
                            }
                        })
                .hasMessageContaining("Truncated run");
    }

    @Test
    void bytesAfterTheEndMarkerAreRefused() throws IOException {
        final TestSegment segment = TestSegment.random(new Random(3), 20, 50, null);
        final byte[] content = content(segment);
        final byte[] longer = Arrays.copyOf(content, content.length + 1);
        final ChunkCursor cursor = cursor(new Cut(longer, 16, new Random(1)));

        assertThatThrownBy(
                        () -> {
                            while (cursor.next()) {
                                assertThat(cursor.recordLength()).isPositive();
                            }
                        })
                .hasMessageContaining("1 bytes after the end marker");
    }
}
