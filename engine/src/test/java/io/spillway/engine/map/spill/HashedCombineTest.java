// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.settings.SpillSettings;
import io.spillway.engine.spi.MapHost;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.sort.KeyOrders;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.SpillStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A map whose records are grouped by hash leaves what it leaves when they are sorted. */
class HashedCombineTest {
    private static final int SORT_BYTES = 1 << 20;
    private static final int PARTITIONS = 5;
    private static final int RECORDS = 20_000;
    private static final TestMap.Shape SHAPE =
            new TestMap.Shape(1, 0, false, PARTITIONS, 9, null, false, false, 1, 3, 4096);

    /** How often a combiner writes a record, by the record's last byte, and with which key. */
    enum Kind implements RunCombiner {
        NOTHING,
        SOME,
        TWICE,
        OTHER_KEYS,
        /** It reads a few records only. */
        STOPS;

        @Override
        public void combine(final Records records, final Sink sink) throws IOException {
            int read = 0;
            for (RecordCursor record = records.next(); record != null; record = records.next()) {
                if (this == STOPS && read++ == 3) {
                    return;
                }
                write(record, sink);
            }
        }

        private void write(final RecordCursor record, final Sink sink) throws IOException {
            final byte[] bytes = record.buffer();
            final int start = record.keyStart();
            final byte[] key = Arrays.copyOfRange(bytes, start, start + record.keyLength());
            final int last = bytes[record.valueStart() + record.valueLength() - 1];
            final int times =
                    switch (this) {
                        case NOTHING -> 0;
                        case SOME, STOPS -> last & 1;
                        case TWICE -> 2;
                        case OTHER_KEYS -> 1;
                    };
            if (this == OTHER_KEYS) {
                key[key.length - 1] ^= 0x55;
            }
            for (int i = 0; i < times; i++) {
                sink.append(key, 0, key.length, bytes, record.valueStart(), record.valueLength());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(Kind.class)
    void theOutputIsThatOfASort(final Kind combiner) throws Exception {
        for (final int keys : new int[] {1, 40, 900, RECORDS}) {
            final TestMap.Left sorted = run(combiner, keys, false);
            final TestMap.Left hashed = run(combiner, keys, true);

            assertThat(hashed.spills()).isEqualTo(sorted.spills()).isZero();
            assertThat(hashed.recordsSpilled()).isEqualTo(sorted.recordsSpilled());
            assertThat(hashed.files()).isEqualTo(sorted.files()).hasSize(1);
        }
    }

    private static TestMap.Left run(final Kind combiner, final int keys, final boolean hash)
            throws Exception {
        final TestMap output = new TestMap(SHAPE);
        try (SpillStore spills = new HeapSpillStore(1 << 26)) {
            final MapHost host =
                    new MapHost(
                            "map",
                            KeyOrders.of(new BytesWritable.Comparator()),
                            null,
                            SegmentCipher.NONE,
                            combiner,
                            spills,
                            output,
                            output,
                            () -> {},
                            new Progress(),
                            null,
                            report -> {});
            final SpillSettings settings =
                    new SpillSettings(
                            SORT_BYTES,
                            PARTITIONS,
                            false,
                            false,
                            1,
                            0,
                            SORT_BYTES,
                            4096,
                            3,
                            3,
                            hash);
            try (OutputBuilder builder = new OutputBuilder(settings, host)) {
                emit(builder, keys);
                builder.flush(RECORDS);
            }
        }
        return output.left();
    }

    private static void emit(final OutputBuilder builder, final int keys) throws IOException {
        final Random random = new Random(keys);
        for (int i = 0; i < RECORDS; i++) {
            final int number = keys == RECORDS ? i : random.nextInt(keys);
            builder.beginRecord();
            builder.stream()
                    .write(ByteBuffer.allocate(12).putInt(8).putInt(77).putInt(number).array());
            builder.endKey();
            builder.stream().write(ByteBuffer.allocate(4).putInt(i).array());
            builder.endRecord(number % PARTITIONS);
        }
    }
}
