// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.TestRecords.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.fs.ChecksumException;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Segments against Hadoop's own {@code IFile}. */
class SegmentTest {
    /** Codecs; stream codecs give the same bytes however their input is cut. */
    enum Compression {
        NONE(null, true),
        DEFAULT(DefaultCodec.class, true),
        GZIP(GzipCodec.class, false),
        SNAPPY(SnappyCodec.class, false),
        LZ4(Lz4Codec.class, false),
        BZIP2(BZip2Codec.class, false);

        private final Class<? extends CompressionCodec> type;
        private final boolean sameBytes;

        Compression(final Class<? extends CompressionCodec> type, final boolean sameBytes) {
            this.type = type;
            this.sameBytes = sameBytes;
        }

        CompressionCodec codec() {
            return TestRecords.codec(type);
        }
    }

    @Property(tries = 40)
    void isWhatStockWritesAndReads(
            @ForAll final Compression compression,
            @ForAll @IntRange(min = 1, max = 5) final int partitions,
            @ForAll @IntRange(min = 0, max = 300) final int most,
            @ForAll @IntRange(min = 0, max = 100_000) final int largest,
            @ForAll final long seed)
            throws IOException {
        final Random random = new Random(seed);
        final List<List<KeyValue>> segments = new ArrayList<>();
        for (int p = 0; p < partitions; p++) {
            segments.add(TestRecords.random(random, random.nextInt(most + 1), largest));
        }
        compareWithStock(compression, segments);
    }

    private static void compareWithStock(
            final Compression compression, final List<List<KeyValue>> segments) throws IOException {
        final CompressionCodec codec = compression.codec();
        final MapOutputIndex ours = new MapOutputIndex(segments.size());
        final MapOutputIndex stock = new MapOutputIndex(segments.size());
        final byte[] written = TestRecords.write(segments, codec, ours);
        final byte[] expected = TestRecords.writeByStock(segments, codec, stock);
        if (compression.sameBytes) {
            assertThat(written).isEqualTo(expected);
        }
        long end = 0;
        for (int p = 0; p < segments.size(); p++) {
            assertThat(ours.get(p).startOffset()).isEqualTo(end);
            assertThat(ours.get(p).rawLength()).isEqualTo(stock.get(p).rawLength());
            end += ours.get(p).partLength();
            assertThat(TestRecords.readByStock(written, ours.get(p), codec))
                    .isEqualTo(segments.get(p));
            assertThat(TestRecords.read(expected, stock.get(p), codec, 100))
                    .isEqualTo(segments.get(p));
            assertThat(TestRecords.read(written, ours.get(p), codec, 1 << 16))
                    .isEqualTo(segments.get(p));
        }
        assertThat(written).hasSize((int) end);
    }

    @ParameterizedTest
    @EnumSource
    void takesManyRecordsAndEmptySegments(final Compression compression) throws IOException {
        final Random random = new Random(1);
        final int scale = compression == Compression.BZIP2 ? 50 : 1;
        compareWithStock(
                compression,
                List.of(
                        List.of(),
                        TestRecords.random(random, 10_000 / scale, 5000),
                        List.of(),
                        List.of(new KeyValue(new byte[0], new byte[0])),
                        TestRecords.random(random, 3, 3_000_000 / scale)));
    }

    @ParameterizedTest
    @EnumSource
    void reportsEveryFlippedBitAndEveryTruncation(final Compression compression)
            throws IOException {
        final CompressionCodec codec = compression.codec();
        final MapOutputIndex index = new MapOutputIndex(1);
        final List<KeyValue> records = TestRecords.random(new Random(2), 3, 40);
        final byte[] file = TestRecords.write(List.of(records), codec, index);
        for (int i = 0; i < file.length; i++) {
            final byte[] broken = file.clone();
            broken[i] ^= (byte) (1 << (i % 8));
            assertThatThrownBy(() -> TestRecords.read(broken, index.get(0), codec, 100))
                    .as("byte %d", i)
                    .isInstanceOf(IOException.class);
            final byte[] cut = Arrays.copyOf(file, i);
            assertThatThrownBy(() -> TestRecords.read(cut, index.get(0), codec, 100))
                    .as("cut at %d", i)
                    .isInstanceOf(IOException.class);
            final IndexEntry shorter = new IndexEntry(0, index.get(0).rawLength(), i);
            assertThatThrownBy(() -> TestRecords.read(file, shorter, codec, 100))
                    .as("partLength %d", i)
                    .isInstanceOf(IOException.class);
        }
        assertThat(TestRecords.read(file, index.get(0), codec, 100)).isEqualTo(records);
    }

    @Test
    void verifiesTheChecksumBeforeTheEndIsReported() throws IOException {
        final MapOutputIndex index = new MapOutputIndex(1);
        final byte[] file =
                TestRecords.write(
                        List.of(List.of(new KeyValue(new byte[] {1}, new byte[] {2}))),
                        null,
                        index);
        file[3] ^= 4;
        try (StreamRecordCursor cursor =
                new StreamRecordCursor(TestRecords.stream(file, index.get(0), null), 100)) {
            assertThatThrownBy(
                            () -> {
                                while (cursor.next()) {
                                    assertThat(cursor.keyLength()).isEqualTo(1);
                                }
                            })
                    .isInstanceOf(ChecksumException.class)
                    .hasMessageContaining("expected");
        }
    }

    @Test
    void givesDecompressorsAndCompressorsBack() throws IOException {
        final CompressionCodec codec = Compression.DEFAULT.codec();
        final MapOutputIndex index = new MapOutputIndex(1);
        final int compressors = CodecPool.getLeasedCompressorsCount(codec);
        final byte[] file = TestRecords.write(List.of(List.of()), codec, index);
        assertThat(CodecPool.getLeasedCompressorsCount(codec)).isEqualTo(compressors);
        final int decompressors = CodecPool.getLeasedDecompressorsCount(codec);
        for (int i = 0; i < 3; i++) {
            final SegmentInputStream in = TestRecords.stream(file, index.get(0), codec);
            assertThat(CodecPool.getLeasedDecompressorsCount(codec)).isEqualTo(decompressors);
            assertThat(in.read()).isNotNegative();
            assertThat(CodecPool.getLeasedDecompressorsCount(codec)).isEqualTo(decompressors + 1);
            in.close();
            in.close();
            assertThat(CodecPool.getLeasedDecompressorsCount(codec)).isEqualTo(decompressors);
        }
    }

    @Test
    void leavesTheStreamBelowOpenAndReadsNotBeyondTheSegment() throws IOException {
        final boolean[] closed = new boolean[1];
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(final int b) {
                        bytes.write(b);
                    }

                    @Override
                    public void close() {
                        closed[0] = true;
                    }
                };
        final IndexEntry first;
        final IndexEntry second;
        try (SegmentWriter writer = new SegmentWriter(out, Compression.DEFAULT.codec())) {
            writer.append(new byte[] {1}, 0, 1, new byte[] {2}, 0, 1);
            first = writer.endSegment();
            writer.append(new byte[] {3}, 0, 1, new byte[] {4}, 0, 1);
            second = writer.endSegment();
            assertThat(writer.recordsWritten()).isEqualTo(2);
        }
        assertThat(closed[0]).isFalse();
        assertThat(second.startOffset()).isEqualTo(first.partLength());
        final InputStream file = new ByteArrayInputStream(bytes.toByteArray());
        for (final IndexEntry entry : List.of(first, second)) {
            final SegmentInputStream in =
                    new SegmentInputStream(file, entry.partLength(), Compression.DEFAULT.codec());
            assertThat(in.readAllBytes()).hasSize((int) entry.rawLength());
        }
        assertThat(file.read()).isNegative();
    }

    @Test
    void passesOnWhatTheStreamBelowThrows() throws IOException {
        final IOException failure = new IOException("full");
        final OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(final int b) throws IOException {
                        throw failure;
                    }
                };
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            final byte[] record = new byte[1 << 20];
            assertThatThrownBy(() -> writer.append(record, 0, record.length)).isSameAs(failure);
        }
    }

    @Test
    void refusesNegativeLengths() throws IOException {
        try (SegmentWriter writer = new SegmentWriter(new ByteArrayOutputStream(), null)) {
            assertThatThrownBy(() -> writer.append(new byte[1], 0, -1, new byte[1], 0, 1))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("keyLength=-1");
        }
    }
}
