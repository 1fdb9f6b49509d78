package io.spillway.hadoop.reduce;

import io.spillway.ifile.SegmentWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.mapred.RawKeyValueIterator;

/** One map's segment with Text keys, and the records in it. */
final class TestSegment {
    /** A record; values are any bytes, as text. */
    record Entry(String key, String value) {}

    private final byte[] bytes;
    private final long rawLength;
    private final List<Entry> records;

    private TestSegment(final byte[] bytes, final long rawLength, final List<Entry> records) {
        this.bytes = bytes;
        this.rawLength = rawLength;
        this.records = records;
    }

    /** The segment as it is stored; not to be changed. */
    byte[] bytes() {
        return bytes;
    }

    long rawLength() {
        return rawLength;
    }

    List<Entry> records() {
        return records;
    }

    static TestSegment of(final List<Entry> unsorted, final CompressionCodec codec)
            throws IOException {
        final List<Entry> sorted = new ArrayList<>(unsorted);
        sorted.sort(Comparator.comparing(Entry::key));
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final long raw;
        try (SegmentWriter writer = new SegmentWriter(out, codec)) {
            for (final Entry entry : sorted) {
                final byte[] key = serialized(entry.key());
                final byte[] value = entry.value().getBytes(StandardCharsets.ISO_8859_1);
                writer.append(key, 0, key.length, value, 0, value.length);
            }
            raw = writer.endSegment().rawLength();
        }
        return new TestSegment(out.toByteArray(), raw, sorted);
    }

    /** A segment of which only the stored bytes are kept. */
    static TestSegment stored(final byte[] bytes, final long rawLength) {
        return new TestSegment(bytes, rawLength, List.of());
    }

    /** Random records: mostly small, few keys twice. */
    static TestSegment random(
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

    static byte[] serialized(final String key) throws IOException {
        final DataOutputBuffer out = new DataOutputBuffer();
        new Text(key).write(out);
        return java.util.Arrays.copyOf(out.getData(), out.getLength());
    }

    /** What a merge has to give: by key, then by map, then in the map's order. */
    static List<Entry> merged(final List<TestSegment> segments) {
        final List<Entry> all = new ArrayList<>();
        segments.forEach(segment -> all.addAll(segment.records()));
        Collections.sort(all, Comparator.comparing(Entry::key));
        return all;
    }

    static List<Entry> readAll(final RawKeyValueIterator iterator) throws IOException {
        final List<Entry> read = new ArrayList<>();
        while (iterator.next()) {
            read.add(entry(iterator));
        }
        return read;
    }

    static Entry entry(final RawKeyValueIterator iterator) throws IOException {
        final DataInputBuffer rawKey = iterator.getKey();
        final DataInputBuffer in = new DataInputBuffer();
        in.reset(rawKey.getData(), rawKey.getPosition(), rawKey.getLength() - rawKey.getPosition());
        final Text key = new Text();
        key.readFields(in);
        final DataInputBuffer value = iterator.getValue();
        return new Entry(
                key.toString(),
                new String(
                        value.getData(),
                        value.getPosition(),
                        value.getLength() - value.getPosition(),
                        StandardCharsets.ISO_8859_1));
    }

    TestSegment corrupted(final int index) {
        final byte[] broken = bytes.clone();
        broken[index] ^= 0x40;
        return new TestSegment(broken, rawLength, records);
    }
}
