// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.merge.MergedRecords;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.ifile.SegmentWriter;
import io.spillway.ifile.VInts;
import io.spillway.transport.FetchReply;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;

/** One map's segment with Text keys, and the records in it. */
public final class TestSegment {
    /** A record; values are any bytes, as text. */
    public record Entry(String key, String value) {}

    private final byte[] bytes;

    /** What the map wrote. */
    private final byte[] written;

    private final long rawLength;
    private final List<Entry> records;

    /** How many records its map has counted. */
    private final long count;

    private TestSegment(
            final byte[] bytes,
            final byte[] written,
            final long rawLength,
            final List<Entry> records,
            final long count) {
        this.bytes = bytes;
        this.written = written;
        this.rawLength = rawLength;
        this.records = records;
        this.count = count;
    }

    /** The segment as it is stored; not to be changed. */
    public byte[] bytes() {
        return bytes;
    }

    /** The CRC32C of what the map wrote of a piece, whatever has become of it. */
    long checksum(final long offset, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(written, (int) offset, length);
        return crc.getValue();
    }

    public long rawLength() {
        return rawLength;
    }

    public List<Entry> records() {
        return records;
    }

    /** How many records its map has counted; -1 where it did not. */
    public long count() {
        return count;
    }

    /** The same bytes, with another account. */
    public TestSegment counted(final long other) {
        return new TestSegment(bytes, written, rawLength, records, other);
    }

    public static TestSegment of(final List<Entry> unsorted, final CompressionCodec codec)
            throws IOException {
        return of(unsorted, codec, SegmentCipher.NONE);
    }

    /**
     * The same records as a map stores them with a cipher. Encryption makes different bytes each
     * time.
     */
    public TestSegment encrypted(final CompressionCodec codec, final SegmentCipher cipher)
            throws IOException {
        return cipher == SegmentCipher.NONE ? this : of(records, codec, cipher);
    }

    private static TestSegment of(
            final List<Entry> unsorted, final CompressionCodec codec, final SegmentCipher cipher)
            throws IOException {
        final List<Entry> sorted = new ArrayList<>(unsorted);
        sorted.sort(Comparator.comparing(Entry::key));
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final long raw;
        try (SegmentWriter writer =
                new SegmentWriter(out, codec, cipher, SegmentWriter.NO_BLOCKS)) {
            for (final Entry entry : sorted) {
                final byte[] key = serialized(entry.key());
                final byte[] value = entry.value().getBytes(StandardCharsets.ISO_8859_1);
                writer.append(key, 0, key.length, value, 0, value.length);
            }
            raw = writer.endSegment().rawLength();
        }
        return new TestSegment(out.toByteArray(), out.toByteArray(), raw, sorted, sorted.size());
    }

    /** A segment of which only the stored bytes are kept. */
    public static TestSegment stored(final byte[] bytes, final long rawLength) {
        return new TestSegment(bytes, bytes, rawLength, List.of(), FetchReply.UNKNOWN_RECORDS);
    }

    /** A segment that is stored already. */
    public static TestSegment stored(
            final byte[] bytes, final long rawLength, final List<Entry> records) {
        return new TestSegment(bytes, bytes, rawLength, records, records.size());
    }

    /** Random records: mostly small, few keys twice. */
    public static TestSegment random(
            final Random random, final int count, final int maxValue, final CompressionCodec codec)
            throws IOException {
        final List<Entry> entries = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            final StringBuilder key = new StringBuilder();
            for (int c = random.nextInt(14); c >= 0; c--) {
                key.append((char) ('a' + random.nextInt(4)));
            }
            final StringBuilder value = new StringBuilder();
            for (int c = maxValue == 0 ? 0 : random.nextInt(maxValue); c > 0; c--) {
                value.append((char) random.nextInt(256));
            }
            entries.add(new Entry(key.toString(), value.toString()));
        }
        return of(entries, codec);
    }

    public static byte[] serialized(final String key) throws IOException {
        final DataOutputBuffer out = new DataOutputBuffer();
        new Text(key).write(out);
        return java.util.Arrays.copyOf(out.getData(), out.getLength());
    }

    /** What a merge has to give: by key, then by map, then in the map's order. */
    public static List<Entry> merged(final List<TestSegment> segments) {
        final List<Entry> all = new ArrayList<>();
        segments.forEach(segment -> all.addAll(segment.records()));
        Collections.sort(all, Comparator.comparing(Entry::key));
        return all;
    }

    public static List<Entry> readAll(final MergedRecords records) throws IOException {
        final List<Entry> read = new ArrayList<>();
        while (records.next()) {
            read.add(entry(records.current()));
        }
        return read;
    }

    /** A cursor's current record. */
    public static Entry entry(final RecordCursor record) {
        final byte[] data = record.buffer();
        final int header = VInts.sizeFromFirstByte(data[record.keyStart()]);
        return new Entry(
                new String(
                        data,
                        record.keyStart() + header,
                        record.keyLength() - header,
                        StandardCharsets.UTF_8),
                new String(
                        data,
                        record.valueStart(),
                        record.valueLength(),
                        StandardCharsets.ISO_8859_1));
    }

    /** What a map has written that is another one in one byte. */
    public TestSegment other(final int index) {
        final byte[] other = changed(index);
        return new TestSegment(other, other, rawLength, records, count);
    }

    private byte[] changed(final int index) {
        final byte[] changed = bytes.clone();
        changed[index] ^= 0x40;
        return changed;
    }

    /** What has become of it after it was written. */
    public TestSegment corrupted(final int index) {
        final byte[] broken = changed(index);
        return new TestSegment(broken, written, rawLength, records, count);
    }
}
