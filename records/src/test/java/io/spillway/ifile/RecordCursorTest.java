// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.TestRecords.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class RecordCursorTest {
    private static final int CHECKSUM = 4;

    private static byte[] content(final List<KeyValue> records) throws IOException {
        final byte[] segment = TestRecords.write(List.of(records), null, new MapOutputIndex(1));
        return Arrays.copyOf(segment, segment.length - CHECKSUM);
    }

    @Property(tries = 200)
    void readsTheSameFromHeapAndFromAnyStream(
            @ForAll @IntRange(min = 0, max = 60) final int count,
            @ForAll @IntRange(min = 0, max = 20_000) final int largest,
            @ForAll @IntRange(min = 0, max = 5000) final int buffer,
            @ForAll @IntRange(min = 1, max = 3000) final int piece,
            @ForAll final long seed)
            throws IOException {
        final List<KeyValue> records = TestRecords.random(new Random(seed), count, largest);
        final byte[] content = content(records);
        final byte[] padded = new byte[content.length + 11];
        System.arraycopy(content, 0, padded, 7, content.length);
        try (RecordCursor heap = new HeapRecordCursor(padded, 7, content.length);
                RecordCursor stream = new StreamRecordCursor(dribble(content, piece), buffer)) {
            assertThat(TestRecords.all(heap)).isEqualTo(records);
            assertThat(TestRecords.all(stream)).isEqualTo(records);
            assertThat(heap.ended()).isTrue();
            assertThat(heap.next()).isFalse();
            assertThat(stream.next()).isFalse();
        }
    }

    private static InputStream dribble(final byte[] content, final int most) {
        return new ByteArrayInputStream(content) {
            @Override
            public int read(final byte[] target, final int offset, final int length) {
                return super.read(target, offset, Math.min(length, most));
            }
        };
    }

    @Test
    void findsWhereTheEncodedRecordLies() throws IOException {
        final byte[] content = content(List.of(new KeyValue(new byte[200], new byte[3])));
        try (RecordCursor cursor = new HeapRecordCursor(content, 0, content.length)) {
            assertThat(cursor.next()).isTrue();
            assertThat(cursor.recordStart()).isZero();
            assertThat(cursor.recordLength()).isEqualTo(content.length - 2);
        }
    }

    @Test
    void refusesEveryTruncation() throws IOException {
        final byte[] content = content(TestRecords.random(new Random(1), 5, 100));
        for (int length = 0; length < content.length; length++) {
            final byte[] cut = Arrays.copyOf(content, length);
            assertThatThrownBy(() -> TestRecords.all(new HeapRecordCursor(cut, 0, cut.length)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Truncated run");
            assertThatThrownBy(
                            () ->
                                    TestRecords.all(
                                            new StreamRecordCursor(
                                                    new ByteArrayInputStream(cut), 10)))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Truncated run");
        }
    }

    @Property(tries = 2000)
    void survivesGarbage(@ForAll final byte[] garbage) {
        requireClean(new HeapRecordCursor(garbage, 0, garbage.length));
        requireClean(new StreamRecordCursor(new ByteArrayInputStream(garbage), 1));
    }

    /** Only IOException may come out. */
    private static void requireClean(final RecordCursor cursor) {
        try {
            assertThat(TestRecords.all(cursor)).isNotNull();
        } catch (final IOException e) {
            assertThat(e).hasMessageContaining("run");
        }
    }

    @Test
    void refusesBytesAfterTheEnd() {
        final byte[] longer = {-1, -1, 0};
        assertThatThrownBy(() -> new HeapRecordCursor(longer, 0, 3).next())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("after the end marker");
        assertThatThrownBy(
                        () -> new StreamRecordCursor(new ByteArrayInputStream(longer), 10).next())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("after the end marker");
    }

    @Test
    void allocatesNoMoreThanTheStreamHolds() throws IOException {
        final byte[] header = new byte[10];
        VInts.write(header, VInts.write(header, 0, 1_500_000_000), 500_000_000);
        try (StreamRecordCursor cursor =
                new StreamRecordCursor(new ByteArrayInputStream(header), 100)) {
            assertThatThrownBy(cursor::next)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Truncated run");
            assertThat(cursor.buffer().length).isLessThan(1000);
        }
    }

    @Test
    void refusesLengthsOfMoreThanAnInt() {
        final byte[] eightBytes = new byte[20];
        eightBytes[0] = -120;
        assertThatThrownBy(() -> new HeapRecordCursor(eightBytes, 0, 20).next())
                .isInstanceOf(IOException.class)
                .hasMessageContaining("expected at most 5");
    }

    @Test
    void refusesARangeOutsideTheArray() {
        assertThatThrownBy(() -> new HeapRecordCursor(new byte[5], 3, 3))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }
}
