// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.junit.jupiter.api.Test;

class RecordCountsTest {
    private static byte[] encoded(final RecordCounts counts, final int runs) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        counts.writeTo(out, runs);
        return out.toByteArray();
    }

    @Property
    void whatWasWrittenIsRead(
            @ForAll @Size(max = 50) final List<@LongRange(min = 0, max = 1L << 33) Long> counts,
            @ForAll @IntRange(min = 1, max = 9) final int runs)
            throws IOException {
        final long[] given = counts.stream().mapToLong(Long::longValue).toArray();
        final RecordCounts read =
                RecordCounts.readFrom(
                        encoded(RecordCounts.of(given), runs), "f", given.length, runs);

        for (int partition = 0; partition < given.length; partition++) {
            assertThat(read.of(partition))
                    .isEqualTo(
                            given[partition] > RecordCounts.MAX
                                    ? RecordCounts.UNKNOWN
                                    : given[partition]);
        }
        assertThat(read.memory()).isEqualTo(4L * given.length);
    }

    @Test
    void nothingIsKnownWithoutAnAccount() {
        assertThat(RecordCounts.NONE.of(0)).isEqualTo(RecordCounts.UNKNOWN);
        assertThat(RecordCounts.NONE.of(1_000_000)).isEqualTo(RecordCounts.UNKNOWN);
    }

    @Property(tries = 200)
    void aChangedByteIsRefused(@ForAll @IntRange(min = 0, max = 31) final int at)
            throws IOException {
        final byte[] bytes = encoded(RecordCounts.of(1, 2, 3), 1);
        bytes[at % bytes.length] ^= 0x10;
        assertThatThrownBy(() -> RecordCounts.readFrom(bytes, "name", 3, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("Corrupt account of records name");
    }

    @Test
    void anotherOutputsAccountIsRefused() throws IOException {
        final byte[] bytes = encoded(RecordCounts.of(1, 2, 3), 4);
        assertThatThrownBy(() -> RecordCounts.readFrom(bytes, "name", 3, 3))
                .hasMessageContaining("runs=4, expected 3");
        assertThatThrownBy(() -> RecordCounts.readFrom(bytes, "name", 2, 4))
                .hasMessageContaining("segments=3, expected 2");
        assertThatThrownBy(() -> RecordCounts.readFrom(new byte[19], "name", 2, 4))
                .hasMessageContaining("length=19");
    }

    @Test
    void bothNumbersAreNamed() {
        assertThatThrownBy(() -> RecordCounts.require("a segment", 4, 3))
                .isInstanceOf(IOException.class)
                .hasMessage("Wrong number of records in a segment: expected=4 found=3");
        assertThatCode(() -> RecordCounts.require("a segment", RecordCounts.UNKNOWN, 3))
                .doesNotThrowAnyException();
    }

    @Property(tries = 60)
    void cursorsFindWhatWritersCount(
            @ForAll final long seed, @ForAll final boolean compressed, @ForAll final boolean large)
            throws IOException {
        final Random random = new Random(seed);
        final var codec = TestRecords.codec(compressed ? DefaultCodec.class : null);
        final List<Long> written = new ArrayList<>();
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final List<IndexEntry> index = new ArrayList<>();
        try (SegmentWriter writer = new SegmentWriter(out, codec)) {
            for (int partition = 0; partition < 20; partition++) {
                final int count = random.nextInt(100) - 20;
                for (final var r :
                        TestRecords.random(random, Math.max(0, count), large ? 100_000 : 500)) {
                    writer.append(r.key(), 0, r.key().length, r.value(), 0, r.value().length);
                }
                index.add(writer.endSegment());
                written.add((long) Math.max(0, count));
                assertThat(writer.lastCount()).isEqualTo(written.get(partition));
            }
            for (int partition = 0; partition < 20; partition++) {
                assertThat(writer.recordCounts().of(partition)).isEqualTo(written.get(partition));
            }
        }
        final List<Long> found = new ArrayList<>();
        for (final IndexEntry entry : index) {
            read(out.toByteArray(), entry, codec, found);
        }
        assertThat(found).isEqualTo(written);
    }

    private static void read(
            final byte[] file,
            final IndexEntry entry,
            final CompressionCodec codec,
            final List<Long> found)
            throws IOException {
        final var stored =
                new ByteArrayInputStream(file, (int) entry.startOffset(), (int) entry.partLength());
        try (RecordCursor cursor =
                new StreamRecordCursor(
                        new SegmentInputStream(stored, entry.partLength(), codec), 64)) {
            cursor.audit(found::add);
            while (cursor.next()) {
                assertThat(cursor.hasRecord()).isTrue();
            }
            assertThat(cursor.next()).isFalse();
        }
    }

    @Test
    void anAuditThatFailsEndsTheRun() throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final long length;
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            writer.append(new byte[2], 0, 1, new byte[1], 0, 1);
            length = writer.endSegment().rawLength();
        }
        final HeapRecordCursor cursor = new HeapRecordCursor(out.toByteArray(), 0, (int) length);
        cursor.audit(found -> RecordCounts.require("it", 2, found));
        assertThat(cursor.next()).isTrue();
        assertThatThrownBy(cursor::next).hasMessageContaining("expected=2 found=1");
    }
}
