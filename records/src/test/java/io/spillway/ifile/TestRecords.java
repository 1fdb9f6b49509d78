// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.IFile;
import org.apache.hadoop.mapreduce.CryptoUtils;
import org.apache.hadoop.util.ReflectionUtils;

/** Records for the tests of segments, and stock's way of writing and reading them. */
final class TestRecords {
    /** A key and a value. */
    static final class KeyValue {
        private final byte[] key;
        private final byte[] value;

        KeyValue(final byte[] key, final byte[] value) {
            this.key = key;
            this.value = value;
        }

        byte[] key() {
            return key;
        }

        byte[] value() {
            return value;
        }

        @Override
        public boolean equals(final Object other) {
            return other instanceof KeyValue that
                    && Arrays.equals(key, that.key)
                    && Arrays.equals(value, that.value);
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(key) + Arrays.hashCode(value);
        }

        @Override
        public String toString() {
            return key.length + "+" + value.length;
        }
    }

    private TestRecords() {}

    /** Some empty, most small, few large; compressible. */
    static List<KeyValue> random(final Random random, final int count, final int largest) {
        final List<KeyValue> records = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            records.add(new KeyValue(bytes(random, 200), bytes(random, largest)));
        }
        return records;
    }

    private static byte[] bytes(final Random random, final int largest) {
        final int most = random.nextInt(20) == 0 ? largest : 150;
        final byte[] bytes = new byte[random.nextInt(8) == 0 ? 0 : random.nextInt(most + 1)];
        random.nextBytes(bytes);
        Arrays.fill(bytes, 0, bytes.length / 2, (byte) 'c');
        return bytes;
    }

    static CompressionCodec codec(final Class<? extends CompressionCodec> type) {
        return type == null ? null : ReflectionUtils.newInstance(type, new Configuration(false));
    }

    /** Writes segments by Spillway. */
    static byte[] write(
            final List<List<KeyValue>> segments,
            final CompressionCodec codec,
            final MapOutputIndex index)
            throws IOException {
        return write(segments, codec, SegmentCipher.NONE, index);
    }

    /** Writes segments that a cipher may encrypt by Spillway. */
    static byte[] write(
            final List<List<KeyValue>> segments,
            final CompressionCodec codec,
            final SegmentCipher cipher,
            final MapOutputIndex index)
            throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (SegmentWriter writer =
                new SegmentWriter(out, codec, cipher, SegmentWriter.BLOCK_LENGTH)) {
            for (int p = 0; p < segments.size(); p++) {
                for (final KeyValue record : segments.get(p)) {
                    append(writer, record);
                }
                index.put(p, writer.endSegment());
            }
        }
        return out.toByteArray();
    }

    /** Appends in one of the two ways. */
    private static void append(final SegmentWriter writer, final KeyValue record)
            throws IOException {
        final byte[] key = record.key();
        final byte[] value = record.value();
        if (key.length % 2 == 0) {
            writer.append(key, 0, key.length, value, 0, value.length);
            return;
        }
        final int header = VInts.size(key.length) + VInts.size(value.length);
        final byte[] encoded = new byte[1 + header + key.length + value.length];
        VInts.write(encoded, VInts.write(encoded, 1, key.length), value.length);
        System.arraycopy(key, 0, encoded, 1 + header, key.length);
        System.arraycopy(value, 0, encoded, 1 + header + key.length, value.length);
        writer.append(encoded, 1, encoded.length - 1);
    }

    /** Writes segments by stock. */
    static byte[] writeByStock(
            final List<List<KeyValue>> segments,
            final CompressionCodec codec,
            final MapOutputIndex index)
            throws IOException {
        return writeByStock(segments, codec, new Configuration(false), index);
    }

    /** Writes segments by stock, which encrypts them where the configuration says so. */
    static byte[] writeByStock(
            final List<List<KeyValue>> segments,
            final CompressionCodec codec,
            final Configuration conf,
            final MapOutputIndex index)
            throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (FSDataOutputStream out = new FSDataOutputStream(bytes, null)) {
            for (int p = 0; p < segments.size(); p++) {
                final long start = out.getPos();
                final FSDataOutputStream content = CryptoUtils.wrapIfNecessary(conf, out, false);
                final IFile.Writer<Object, Object> writer =
                        new IFile.Writer<>(conf, content, null, null, codec, null);
                for (final KeyValue record : segments.get(p)) {
                    writer.append(input(record.key()), input(record.value()));
                }
                writer.close();
                if (content != out) {
                    content.close();
                }
                final int padding = CryptoUtils.cryptoPadding(conf);
                index.put(
                        p,
                        new IndexEntry(
                                start,
                                writer.getRawLength() + padding,
                                writer.getCompressedLength() + padding));
            }
        }
        return bytes.toByteArray();
    }

    private static DataInputBuffer input(final byte[] bytes) {
        final DataInputBuffer in = new DataInputBuffer();
        in.reset(bytes, bytes.length);
        return in;
    }

    /** Reads a segment by Spillway. */
    static List<KeyValue> read(
            final byte[] file,
            final IndexEntry entry,
            final CompressionCodec codec,
            final int bufferBytes)
            throws IOException {
        try (RecordCursor cursor =
                new StreamRecordCursor(stream(file, entry, codec), bufferBytes)) {
            return all(cursor);
        }
    }

    static SegmentInputStream stream(
            final byte[] file, final IndexEntry entry, final CompressionCodec codec)
            throws IOException {
        return new SegmentInputStream(
                new ByteArrayInputStream(file, (int) entry.startOffset(), (int) entry.partLength()),
                entry.partLength(),
                codec);
    }

    static List<KeyValue> all(final RecordCursor cursor) throws IOException {
        final List<KeyValue> records = new ArrayList<>();
        while (cursor.next()) {
            final int keyStart = cursor.keyStart();
            final int valueStart = cursor.valueStart();
            records.add(
                    new KeyValue(
                            Arrays.copyOfRange(
                                    cursor.buffer(), keyStart, keyStart + cursor.keyLength()),
                            Arrays.copyOfRange(
                                    cursor.buffer(),
                                    valueStart,
                                    valueStart + cursor.valueLength())));
        }
        return records;
    }

    /** Reads a segment by stock. */
    static List<KeyValue> readByStock(
            final byte[] file, final IndexEntry entry, final CompressionCodec codec)
            throws IOException {
        final SeekableBytes in =
                new SeekableBytes(
                        Arrays.copyOfRange(
                                file,
                                (int) entry.startOffset(),
                                (int) (entry.startOffset() + entry.partLength())));
        final IFile.Reader<Object, Object> reader =
                new IFile.Reader<>(
                        new Configuration(false),
                        new org.apache.hadoop.fs.FSDataInputStream(in),
                        entry.partLength(),
                        codec,
                        null);
        final List<KeyValue> records = new ArrayList<>();
        final DataInputBuffer key = new DataInputBuffer();
        final DataInputBuffer value = new DataInputBuffer();
        while (reader.nextRawKey(key)) {
            reader.nextRawValue(value);
            records.add(
                    new KeyValue(
                            Arrays.copyOf(key.getData(), key.getLength()),
                            Arrays.copyOf(value.getData(), value.getLength())));
        }
        reader.close();
        return records;
    }

    /** What FSDataInputStream asks for. */
    static final class SeekableBytes extends ByteArrayInputStream
            implements org.apache.hadoop.fs.Seekable, org.apache.hadoop.fs.PositionedReadable {
        SeekableBytes(final byte[] bytes) {
            super(bytes);
        }

        @Override
        public void seek(final long target) {
            pos = (int) target;
        }

        @Override
        public long getPos() {
            return pos;
        }

        @Override
        public boolean seekToNewSource(final long target) {
            return false;
        }

        @Override
        public int read(final long at, final byte[] buffer, final int offset, final int length) {
            throw new UnsupportedOperationException("read at " + at);
        }

        @Override
        public void readFully(
                final long at, final byte[] buffer, final int offset, final int length) {
            throw new UnsupportedOperationException("read at " + at);
        }

        @Override
        public void readFully(final long at, final byte[] buffer) {
            throw new UnsupportedOperationException("read at " + at);
        }
    }
}
