// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import io.spillway.engine.SimulatedNodes;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.SegmentWriter;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.RawKeyValueIterator;

/**
 * A reducer's whole shuffle over large records, in a JVM whose heap {@link LargeRecordsHeapTest}
 * chooses, with the default budget. Segments are few and served for many maps each, so that the
 * heap holds the reducer and little else.
 */
public final class LargeRecordsReducer {
    private static final int DISTINCT = 4;
    private static final int NODES = 4;

    /** Figures of the report are read by name, as jobs do. */
    private static final PrintStream OUT = System.out;

    private LargeRecordsReducer() {}

    /**
     * Runs one reducer.
     *
     * @param args local folder, maps, records of a map, bytes of a key and of a value, whether to
     *     compress, and the file to serve the one segment from, where it is too large for the heap;
     *     the reducer's object then holds the value as a {@code BytesWritable} does
     */
    public static void main(final String[] args) throws Exception {
        final int maps = Integer.parseInt(args[1]);
        final int records = Integer.parseInt(args[2]);
        final int keyLength = Integer.parseInt(args[3]);
        final int valueLength = Integer.parseInt(args[4]);
        final ReduceFixture task = new ReduceFixture(maps, Path.of(args[0]));
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "auto");
        task.set(HadoopKeys.SPILL_TIERS.name(), "disk");
        if (Boolean.parseBoolean(args[5])) {
            final DefaultCodec codec = new DefaultCodec();
            codec.setConf(task.conf);
            task.codec = codec;
        }
        final Path file = args.length > 6 ? Path.of(args[6]) : null;
        final List<TestSegment> segments = new ArrayList<>();
        for (int i = 0; i < (file != null ? 0 : records == 1 ? 1 : DISTINCT); i++) {
            segments.add(segment(task, i, records, keyLength, valueLength));
        }
        try (SimulatedNodes nodes = new SimulatedNodes(TimeUnit.MICROSECONDS.toNanos(20), 4e9)) {
            final long rawLength =
                    file == null ? 0 : write(file, task, records, keyLength, valueLength);
            for (int map = 0; map < maps; map++) {
                final String attempt = ReduceFixture.map(map, 0).toString();
                if (file == null) {
                    nodes.put(attempt, segments.get(map % segments.size()));
                } else {
                    nodes.put(attempt, file, rawLength);
                }
                task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % NODES));
            }
            final long start = System.nanoTime();
            final ReduceShuffle shuffle = task.shuffle(nodes);
            final RawKeyValueIterator merged = shuffle.run();
            check(merged, (long) maps * records, keyLength, valueLength, file != null);
            shuffle.close();
            print(task, System.nanoTime() - start);
        }
    }

    /** Gives the raw length. The heap has room for a value only as long as nothing runs. */
    private static long write(
            final Path file,
            final ReduceFixture task,
            final int records,
            final int keyLength,
            final int valueLength)
            throws IOException {
        try (OutputStream out = Files.newOutputStream(file)) {
            return write(out, task, 0, records, keyLength, new byte[valueLength]).rawLength();
        }
    }

    /** Written twice, first for its size: no array is copied, for the heap has no room for two. */
    private static TestSegment segment(
            final ReduceFixture task,
            final int number,
            final int records,
            final int keyLength,
            final int valueLength)
            throws IOException {
        final byte[] value = new byte[valueLength];
        final IndexEntry entry =
                write(OutputStream.nullOutputStream(), task, number, records, keyLength, value);
        final byte[] stored = new byte[(int) entry.partLength()];
        final ByteBuffer target = ByteBuffer.wrap(stored);
        final OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(final int b) {
                        target.put((byte) b);
                    }

                    @Override
                    public void write(final byte[] bytes, final int offset, final int length) {
                        target.put(bytes, offset, length);
                    }
                };
        write(out, task, number, records, keyLength, value);
        return TestSegment.stored(stored, entry.rawLength());
    }

    private static IndexEntry write(
            final OutputStream out,
            final ReduceFixture task,
            final int number,
            final int records,
            final int keyLength,
            final byte[] value)
            throws IOException {
        try (SegmentWriter writer = new SegmentWriter(out, task.codec)) {
            for (int i = 0; i < records; i++) {
                final int id = i * DISTINCT + number;
                final String text = String.format(Locale.ROOT, "%0" + keyLength + "d", id);
                final byte[] key = TestSegment.serialized(text);
                Arrays.fill(value, (byte) ('a' + id % 26));
                writer.append(key, 0, key.length, value, 0, value.length);
            }
            return writer.endSegment();
        }
    }

    /** Each record's value is the one of its key, all are there, and in order. */
    private static void check(
            final RawKeyValueIterator merged,
            final long expected,
            final int keyLength,
            final int valueLength,
            final boolean copies)
            throws IOException {
        final BytesWritable object = new BytesWritable();
        long count = 0;
        long last = 0;
        while (merged.next()) {
            final DataInputBuffer key = merged.getKey();
            final long id = id(key.getData(), key.getLength());
            require(id >= last, "order", id);
            require(key.getLength() - key.getPosition() >= keyLength, "key", id);
            final DataInputBuffer value = merged.getValue();
            require(value.getLength() - value.getPosition() == valueLength, "value", id);
            if (copies) {
                object.setSize(valueLength);
                System.arraycopy(
                        value.getData(), value.getPosition(), object.getBytes(), 0, valueLength);
            }
            for (int i = value.getPosition(); i < value.getLength(); i++) {
                require(value.getData()[i] == 'a' + id % 26, "value", id);
            }
            last = id;
            count++;
        }
        require(count == expected, "count", count);
    }

    /** The last digits of a key. */
    private static long id(final byte[] data, final int end) {
        long id = 0;
        for (int i = end - 6; i < end; i++) {
            id = id * 10 + data[i] - '0';
        }
        return id;
    }

    private static void require(final boolean holds, final String what, final long which) {
        if (!holds) {
            throw new AssertionError(what + " " + which);
        }
    }

    private static void print(final ReduceFixture task, final long nanos) throws IOException {
        final ShuffleSettings settings = ShuffleChoice.of(task.context()).settings().shuffle;
        OUT.printf(
                Locale.ROOT,
                "OK budget=%d peak=%d disk=%d chunk=%d millis=%d%n",
                settings.budgetBytes,
                task.figure(ShuffleCounter.PEAK_BUFFER_BYTES),
                task.figure(ShuffleCounter.MERGE_DISK_BYTES),
                settings.chunkSize,
                TimeUnit.NANOSECONDS.toMillis(nanos));
    }
}
