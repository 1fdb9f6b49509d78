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
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.Test;

/** Where all records are in spills, the sort buffer takes no heap from the final merge. */
class FreedBufferTest {
    private static final int SORT_BYTES = 32 << 20;
    private static final int VALUE_BYTES = 1 << 16;
    private static final int RECORDS = 5 * SORT_BYTES / 2 / VALUE_BYTES;

    private final TestMap output =
            new TestMap(new TestMap.Shape(1, 0, false, 1, 1, null, false, false, 1, 1, 4096));

    /** The heap in use while each partition was combined. */
    private final List<Long> used = new ArrayList<>();

    /** Keeps the first record. */
    private void combine(final RunCombiner.Records records, final RunCombiner.Sink sink)
            throws IOException {
        System.gc();
        used.add(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
        final RecordCursor first = records.next();
        sink.append(
                first.buffer(),
                first.keyStart(),
                first.keyLength(),
                first.buffer(),
                first.valueStart(),
                first.valueLength());
        while (records.next() != null) {
            // They are combined away.
        }
    }

    @Test
    void theFinalMergeHasTheHeapOfTheSortBuffer() throws Exception {
        final SpillSettings settings =
                new SpillSettings(SORT_BYTES, 1, false, false, 1, 0, SORT_BYTES, 4096, 1, 10, true);
        final MapHost host =
                new MapHost(
                        "map",
                        KeyOrders.of(new BytesWritable.Comparator()),
                        null,
                        SegmentCipher.NONE,
                        this::combine,
                        new HeapSpillStore(1 << 30),
                        output,
                        output,
                        () -> {},
                        new Progress(),
                        null,
                        report -> {});
        try (OutputBuilder builder = new OutputBuilder(settings, host)) {
            for (int i = 0; i < RECORDS; i++) {
                builder.beginRecord();
                builder.stream().write(new byte[] {0, 0, 0, 1, 7});
                builder.endKey();
                builder.stream().write(new byte[VALUE_BYTES]);
                builder.endRecord(0);
            }
            builder.flush(RECORDS);
            assertThat(builder.stream()).as("as a serializer holds it").isNotNull();
        }
        assertThat(used).as("three spills, and their merge").hasSize(4);
        assertThat(used.get(3)).isLessThan(used.get(2) - SORT_BYTES / 2);
    }
}
