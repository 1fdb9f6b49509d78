// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.TestRecords.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Cursors on streams that share the memory of one merge. */
class SharedRecordBufferTest {
    private static final int OWN = 100;

    private final HeadMemory memory = new HeadMemory(10_000, 2, 0);
    private final RecordBuffer records = new RecordBuffer(memory);

    private StreamRecordCursor cursor(final KeyValue... content) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            for (final KeyValue one : content) {
                writer.append(one.key(), 0, one.key().length, one.value(), 0, one.value().length);
            }
            writer.endSegment();
        }
        final int length = out.size() - Integer.BYTES;
        return new StreamRecordCursor(
                new ByteArrayInputStream(out.toByteArray(), 0, length), OWN, records, length, 0);
    }

    private static KeyValue record(final int key, final int value) {
        return new KeyValue(new byte[key], new byte[value]);
    }

    @Test
    void aHeadHoldsItsKeyOnly() throws IOException {
        try (StreamRecordCursor first = cursor(record(10, 5000), record(10, 10));
                StreamRecordCursor second = cursor(record(3000, 5000))) {
            assertThat(first.nextHead()).isTrue();
            assertThat(memory.usedBytes()).isZero();
            assertThat(second.nextHead()).isTrue();
            assertThat(memory.usedBytes()).isBetween(3000L, 3010L);

            first.completeRecord();
            assertThat(first.valueLength()).isEqualTo(5000);
            assertThat(memory.usedBytes()).isBetween(8000L, 8100L);
            assertThat(first.nextHead()).isTrue();
            assertThat(first.hasRecord()).isTrue();

            second.completeRecord();
            assertThat(second.keyLength()).isEqualTo(3000);
            assertThat(second.heldBytes()).isZero();
            assertThat(second.nextHead()).isFalse();
            assertThat(second.hasRecord()).isFalse();
        }
        records.release();
        assertThat(memory.usedBytes()).isZero();
        assertThat(memory.peakBytes()).isLessThan(12_000);
    }

    @Test
    void aKeyWithoutRoomCanBeAskedForAgain() throws IOException {
        try (RecordCursor second = cursor(record(10, 1), record(6000, 1))) {
            try (RecordCursor first = cursor(record(6000, 1))) {
                assertThat(first.nextHead()).isTrue();
                assertThat(second.next()).isTrue();
                for (int i = 0; i < 2; i++) {
                    assertThatThrownBy(second::nextHead).isInstanceOf(HeadMemoryException.class);
                    assertThat(second.hasRecord()).isFalse();
                }
            }
            assertThat(second.nextHead()).isTrue();
            assertThat(second.keyLength()).isEqualTo(6000);
            second.completeRecord();
            assertThat(second.next()).isFalse();
        }
    }

    /** The array of a record that has been passed is let go for a key. */
    @Test
    void aKeyTakesTheRoomOfALargeRecordBefore() throws IOException {
        try (RecordCursor cursor = cursor(record(10, 8000), record(6000, 1))) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.keyLength()).isEqualTo(6000);
            assertThat(memory.usedBytes()).isLessThan(6100);
        }
    }

    @Test
    void aLengthBeyondTheStreamIsRefusedWithoutAllocatingIt() throws IOException {
        final byte[] header = new byte[VInts.MAX_HEADER_LENGTH];
        VInts.write(header, VInts.write(header, 0, 5), 1_500_000_000);
        try (RecordCursor cursor =
                new StreamRecordCursor(new ByteArrayInputStream(header), OWN, records, 1000, 0)) {
            assertThatThrownBy(cursor::next)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Truncated run");
        }
        assertThat(memory.peakBytes()).isZero();
    }
}
