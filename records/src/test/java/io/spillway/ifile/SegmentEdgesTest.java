// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.TestRecords.KeyValue;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionInputStream;
import org.apache.hadoop.io.compress.Decompressor;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.zlib.BuiltInZlibInflater;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments where something just fits, and streams that fail. */
class SegmentEdgesTest {
    /** What the writer gathers before it writes. */
    @ParameterizedTest
    @CsvSource({"false, 131072", "true, 32768"})
    void recordsAndEndMarkersFitAtEveryPlaceOfTheChunk(final boolean compressed, final int chunk)
            throws IOException {
        final var codec = TestRecords.codec(compressed ? DefaultCodec.class : null);
        for (int rest = 0; rest <= 2 * VInts.MAX_HEADER_LENGTH; rest++) {
            final byte[] filling = filling(chunk - rest);
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            final IndexEntry alone;
            final IndexEntry followed;
            try (SegmentWriter writer = new SegmentWriter(out, codec)) {
                writer.append(new byte[0], 0, 0, filling, 0, filling.length);
                alone = writer.endSegment();
                writer.append(new byte[0], 0, 0, filling, 0, filling.length);
                writer.append(new byte[] {1, 2}, 0, 2, new byte[] {3}, 0, 1);
                followed = writer.endSegment();
            }
            final byte[] file = out.toByteArray();
            final KeyValue first = new KeyValue(new byte[0], filling);
            final KeyValue second = new KeyValue(new byte[] {1, 2}, new byte[] {3});
            assertThat(alone.rawLength()).isEqualTo(chunk - rest + VInts.END_MARKER_LENGTH);
            assertThat(TestRecords.readByStock(file, alone, codec)).containsExactly(first);
            assertThat(TestRecords.readByStock(file, followed, codec))
                    .containsExactly(first, second);
        }
    }

    /** A value whose record, with an empty key, takes so many bytes. */
    private static byte[] filling(final int recordLength) {
        int length = recordLength - 2;
        while (1 + VInts.size(length) + length > recordLength) {
            length--;
        }
        assertThat(1 + VInts.size(length) + length).isEqualTo(recordLength);
        return new byte[length];
    }

    @Test
    void anIndexOfEmptySegmentsOfAnEmptyFileIsGood() throws IOException {
        final MapOutputIndex index = new MapOutputIndex(2);
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        index.writeTo(out);

        final MapOutputIndex read =
                MapOutputIndex.readFrom(ByteBuffer.wrap(out.toByteArray()), "index", 0);
        assertThat(read.partitions()).isEqualTo(2);
        assertThat(read.get(1)).isEqualTo(new IndexEntry(0, 0, 0));
    }

    /** A codec that fails where a test wants it to, and counts what it has freed. */
    private static final class FailingCodec extends DefaultCodec {
        private final boolean failsToOpen;
        private final AtomicInteger ended = new AtomicInteger();

        FailingCodec(final boolean failsToOpen) {
            this.failsToOpen = failsToOpen;
            setConf(new Configuration(false));
        }

        @Override
        public Class<? extends Decompressor> getDecompressorType() {
            return CountedInflater.class;
        }

        @Override
        public Decompressor createDecompressor() {
            return new CountedInflater(ended);
        }

        @Override
        public CompressionInputStream createInputStream(
                final InputStream in, final Decompressor decompressor) throws IOException {
            if (failsToOpen) {
                throw new IllegalStateException("bad header");
            }
            return super.createInputStream(in, decompressor);
        }
    }

    private static final class CountedInflater extends BuiltInZlibInflater {
        private final AtomicInteger ended;

        CountedInflater(final AtomicInteger ended) {
            this.ended = ended;
        }

        @Override
        public synchronized void end() {
            ended.incrementAndGet();
            super.end();
        }
    }

    /** What it holds natively is freed, and nothing that is broken goes back into the pool. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aDecompressorThatHasFailedIsEnded(final boolean failsToOpen) throws IOException {
        final FailingCodec codec = new FailingCodec(failsToOpen);
        final byte[] noise = new byte[100];
        noise[0] = 7;

        assertThatThrownBy(
                        () -> {
                            try (SegmentInputStream in =
                                    new SegmentInputStream(
                                            new ByteArrayInputStream(noise), 100, codec)) {
                                in.readAllBytes();
                            }
                        })
                .isInstanceOf(IOException.class);
        assertThat(codec.ended).hasValue(1);
    }

    @Test
    void closesTheStreamBelowOnce() throws IOException {
        final AtomicInteger closed = new AtomicInteger();
        final InputStream below =
                new ByteArrayInputStream(new byte[100]) {
                    @Override
                    public void close() {
                        closed.incrementAndGet();
                    }
                };
        final StreamRecordCursor cursor =
                new StreamRecordCursor(new SegmentInputStream(below, 100, null), 100);
        assertThat(closed).hasValue(0);
        cursor.close();

        assertThat(closed).hasValue(1);
    }
}
