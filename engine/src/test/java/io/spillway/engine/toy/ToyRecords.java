// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import io.spillway.ifile.RecordCursor;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.SortBuffer;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.hadoop.io.LongWritable;

/** What the jobs do: they sort files of records by key. */
final class ToyRecords {
    private static final long KEYS = 10_000;

    /** A record; its key is less than {@link #KEYS}, so that many are equal. */
    record Entry(long key, String value) {
        static Entry of(final int random, final String value) {
            return new Entry(Math.floorMod(random, KEYS), value);
        }

        int range(final int ranges) {
            return (int) (key * ranges / KEYS);
        }
    }

    private ToyRecords() {}

    static KeyOrder order() {
        return KeyOrders.of(new LongWritable.Comparator());
    }

    static void write(final Path file, final List<Entry> entries) throws IOException {
        try (DataOutputStream out =
                new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)))) {
            out.writeInt(entries.size());
            for (final Entry entry : entries) {
                out.writeLong(entry.key);
                out.writeUTF(entry.value);
            }
        }
    }

    /** The map function: passes each record of a file on. */
    static void map(final Path file, final int ranges, final SortBuffer buffer) throws IOException {
        final DataOutputStream out = new DataOutputStream(buffer.stream());
        try (DataInputStream in =
                new DataInputStream(new BufferedInputStream(Files.newInputStream(file)))) {
            for (int left = in.readInt(); left > 0; left--) {
                final Entry entry = new Entry(in.readLong(), in.readUTF());
                buffer.beginRecord();
                out.writeLong(entry.key);
                buffer.endKey();
                out.writeUTF(entry.value);
                buffer.endRecord(entry.range(ranges));
            }
        }
    }

    static Entry read(final RecordCursor record) {
        final int length = record.keyLength() + record.valueLength();
        final DataInputStream in =
                new DataInputStream(
                        new ByteArrayInputStream(record.buffer(), record.keyStart(), length));
        try {
            return new Entry(in.readLong(), in.readUTF());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
