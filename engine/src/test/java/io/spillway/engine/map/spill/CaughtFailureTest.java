// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.RecordTooLargeException;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.io.InputStream;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;

/** What the job's code catches of the engine's failures fails the attempt all the same. */
class CaughtFailureTest {
    /** More than what a writer of segments gathers. */
    private static final int SORT_BYTES = 512 << 10;

    private static final int VALUE_BYTES = 100;
    private static final TestMap.Shape SHAPE =
            new TestMap.Shape(1, 0, false, 2, 9, null, false, false, 1, 3, 4096);

    private final SpillStore heap = new HeapSpillStore(1 << 30);
    private final TestMap output = new TestMap(SHAPE);
    private boolean fails;

    /** Fails once, at the first bytes. */
    private static final class FailingSink extends SpillSink {
        private final SpillSink sink;
        private boolean failed;

        FailingSink(final SpillSink sink) {
            super();
            this.sink = sink;
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            if (!failed) {
                failed = true;
                throw new IOException("the disk fails once");
            }
            sink.write(bytes, offset, length);
        }

        @Override
        public long position() {
            return sink.position();
        }

        @Override
        public InputStream readBack() throws IOException {
            return sink.readBack();
        }

        @Override
        public Spill commit() throws IOException {
            return sink.commit();
        }

        @Override
        public void abort() {
            sink.abort();
        }
    }

    /** Its spills fail once each while the test says so. */
    private final class FailingStore implements SpillStore {
        @Override
        public String name() {
            return heap.name();
        }

        @Override
        public SpillSink create(final String spill, final long bytes) throws IOException {
            final SpillSink sink = heap.create(spill, bytes);
            return fails ? new FailingSink(sink) : sink;
        }

        @Override
        public void close() {
            heap.close();
        }
    }

    private OutputBuilder builder(final RunCombiner combiner) {
        final MapHost host =
                new MapHost(
                        "map",
                        KeyOrders.of(new BytesWritable.Comparator()),
                        null,
                        SegmentCipher.NONE,
                        combiner,
                        new FailingStore(),
                        output,
                        output,
                        () -> {},
                        new Progress(),
                        null,
                        report -> {});
        final SpillSettings settings =
                new SpillSettings(SORT_BYTES, 2, false, false, 1, 0, SORT_BYTES, 4096, 3, 3, true);
        return new OutputBuilder(settings, host);
    }

    private static void write(final OutputBuilder builder, final int valueBytes)
            throws IOException {
        builder.beginRecord();
        builder.stream().write(new byte[] {0, 0, 0, 1, 7});
        builder.endKey();
        try {
            builder.stream().write(new byte[valueBytes]);
        } catch (final IOException e) {
            // So does a serializer that swallows what its stream throws.
        }
        builder.endRecord(1);
    }

    @Test
    void serializerThatSwallowsAFailedSpill() {
        try (OutputBuilder builder = builder(null)) {
            fails = true;
            assertThatThrownBy(() -> writeUntilItFails(builder)).hasMessage("Spill failed");
            fails = false;
            builder.discardRecord();
            assertThatThrownBy(() -> write(builder, VALUE_BYTES)).hasMessage("Spill failed");
            assertThatThrownBy(() -> builder.flush(1)).hasMessage("Spill failed");
        }
        assertThat(output.hasOutput()).isFalse();
    }

    private static void writeUntilItFails(final OutputBuilder builder) throws IOException {
        for (int record = 0; record < SORT_BYTES; record++) {
            write(builder, VALUE_BYTES);
        }
    }

    @Test
    void serializerThatSwallowsThatARecordIsTooLarge() {
        try (OutputBuilder builder = builder(null)) {
            assertThatThrownBy(() -> write(builder, 2 * SORT_BYTES))
                    .isInstanceOf(RecordTooLargeException.class);
        }
    }

    /** The combiner catches whatever it is thrown, and goes on with the next record. */
    private static RunCombiner catching() {
        return (records, sink) -> {
            for (RecordCursor record = records.next(); record != null; record = records.next()) {
                try {
                    sink.append(
                            record.buffer(),
                            record.keyStart(),
                            record.keyLength(),
                            record.buffer(),
                            record.valueStart(),
                            record.valueLength());
                } catch (final IOException e) {
                    // So do many combiners.
                }
            }
        };
    }

    @Test
    void combinerThatSwallowsAFailedWrite() throws Exception {
        try (OutputBuilder builder = builder(catching())) {
            fails = true;
            assertThatThrownBy(() -> writeUntilItFails(builder)).hasMessage("Spill failed");
            fails = false;
            assertThatThrownBy(() -> builder.flush(1)).hasMessage("Spill failed");
        }
        assertThat(output.hasOutput()).isFalse();
    }

    @Test
    void flushAfterAClosedBuilder() throws Exception {
        final OutputBuilder builder = builder(null);
        write(builder, VALUE_BYTES);
        builder.close();
        assertThatThrownBy(() -> builder.flush(1)).isInstanceOf(IOException.class);
        assertThat(output.hasOutput()).isFalse();
    }
}
