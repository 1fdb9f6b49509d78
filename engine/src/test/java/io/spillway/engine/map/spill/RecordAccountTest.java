// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.spi.RunCombiner;
import io.spillway.engine.spi.SortedSpill;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.SegmentCipher;
import io.spillway.ifile.SegmentWriter;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.sort.MergeQueue;
import io.spillway.store.HeapSpillStore;
import io.spillway.store.SpillSink;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.hadoop.io.BytesWritable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Records that get lost between two hands of the map side, and those that are combined away. */
class RecordAccountTest {
    private static final int PARTITIONS = 3;

    private final KeyOrder order = KeyOrders.of(new BytesWritable.Comparator());
    private final HeapSpillStore store = new HeapSpillStore(1L << 26);

    @AfterEach
    void close() {
        store.close();
    }

    // ---- what is lost is noticed ---------------------------------------------------------------

    @Test
    void anOutputThatLacksACollectedRecordIsRefused() {
        for (final int mostRuns : new int[] {1, 12}) {
            final TestMap map = new TestMap(shape(7, 3_000, null, mostRuns));
            assertThatThrownBy(() -> map.run(3_001))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("collected=3001, expected written=3000");
        }
    }

    @Test
    void aSpillThatIsLeftOutIsMissed() throws Exception {
        final List<SortedSpill> spills = List.of(spill(40), spill(50));
        final RecordAccount account = new RecordAccount();
        account.expect(90);
        account.add(merge(spills.subList(0, 1), null));

        assertThatThrownBy(account::requireAll)
                .hasMessageContaining("collected=90, expected written=40 + combinedAway=0 = 40");
    }

    @Test
    void aSpillThatEndsEarlyIsNoticed() throws Exception {
        final SortedSpill sound = spill(40);
        final SortedSpill early =
                new SortedSpill(
                        sound.data(),
                        sound.index(),
                        sound.checksums(),
                        sound.longestKey(),
                        RecordCounts.of(sound.counts().of(0), sound.counts().of(1) + 1, 13),
                        41,
                        0);

        assertThatThrownBy(() -> merge(List.of(spill(10), early), null))
                .hasMessageContaining("partition 1 of a spill in tier ")
                .hasMessageContaining("expected=14 found=13");
    }

    @Test
    void aMergeThatLosesARunIsNoticed() throws Exception {
        for (final RunCombiner combiner : new RunCombiner[] {null, new FirstOfEach()}) {
            try (PartitionWriter sink = sink(combiner)) {
                final MergeQueue none = new MergeQueue(List.<RecordCursor>of(), order);
                assertThatThrownBy(() -> sink.writeMerge(none, 14))
                        .hasMessageContaining("the merge of partition 0")
                        .hasMessageContaining("expected=14 found=0");
            }
        }
    }

    @Test
    void aCombinerMayStopReading() throws Exception {
        final SortedSpill merged =
                merge(List.of(spill(40), spill(50)), (records, sink) -> records.next());

        assertThat(merged.records()).isZero();
        assertThat(merged.combinedAway()).isEqualTo(90);
    }

    // ---- what is combined away is not missed ---------------------------------------------------

    @Provide
    Arbitrary<TestMap.Shape> shapes() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        Arbitraries.of(0, 1, 500, 4_000),
                        Arbitraries.of(TestCombiner.Manner.class).injectNull(0.2),
                        Arbitraries.of(1, 12))
                .as(RecordAccountTest::shape);
    }

    private static TestMap.Shape shape(
            final long seed,
            final int records,
            final TestCombiner.Manner combiner,
            final int mostRuns) {
        return new TestMap.Shape(
                seed,
                records,
                seed % 2 == 0,
                1 + (int) Math.floorMod(seed, 40L),
                20 + records / 2,
                combiner,
                seed % 3 == 0,
                seed % 5 == 0,
                mostRuns,
                1 + (int) Math.floorMod(seed, 4L),
                1 << 12);
    }

    @Property(tries = 100, edgeCases = EdgeCasesMode.NONE)
    void everyRecordIsWrittenOrCombinedAway(@ForAll("shapes") final TestMap.Shape shape)
            throws Exception {
        final TestMap map = new TestMap(shape);
        final TestMap.Left left = map.run();

        final long written = map.writtenRecords();
        assertThat(map.report().toJson())
                .contains("\"records_written\":" + written + ",")
                .contains("\"records_combined_away\":" + (shape.records() - written) + ",");
        assertThat(shape.records() - written).isEqualTo(left.combined() - left.combinedTo());
    }

    // ---- parts ---------------------------------------------------------------------------------

    private SortedSpill spill(final int records) throws Exception {
        final Random random = new Random(records);
        final byte[] record = new byte[12];
        final SpillSink out = store.create("spill", 0);
        final MapOutputIndex index = new MapOutputIndex(PARTITIONS);
        try (SegmentWriter writer = new SegmentWriter(out, null)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                final List<Integer> keys = new ArrayList<>();
                for (int i = partition; i < records; i += PARTITIONS) {
                    keys.add(random.nextInt(1 << 20));
                }
                keys.sort(null);
                for (final int key : keys) {
                    ByteBuffer.wrap(record).putInt(4).putInt(key);
                    writer.append(record, 0, 8, record, 8, 4);
                }
                index.put(partition, writer.endSegment());
            }
            return new SortedSpill(
                    out.commit(),
                    index,
                    writer.blockChecksums(),
                    writer.longestKey(),
                    writer.recordCounts(),
                    writer.recordsWritten(),
                    0);
        }
    }

    private SortedSpill merge(final List<SortedSpill> spills, final RunCombiner combiner)
            throws Exception {
        try (PartitionWriter sink = sink(combiner)) {
            new SpillMerger(order, null, SegmentCipher.NONE, new JobCode())
                    .merge(spills, null, sink, () -> {});
            return sink.of(spills.get(0).data());
        }
    }

    private static PartitionWriter sink(final RunCombiner combiner) throws IOException {
        return new PartitionWriter(
                OutputStream.nullOutputStream(),
                (segment, records) -> {},
                PARTITIONS,
                null,
                SegmentCipher.NONE,
                SegmentWriter.NO_BLOCKS,
                combiner,
                () -> {});
    }

    /** Reads all, keeps one. */
    private static final class FirstOfEach implements RunCombiner {
        @Override
        public void combine(final Records records, final Sink sink) throws IOException {
            while (records.next() != null) {
                sink.append(new byte[8], 0, 8, new byte[1], 0, 1);
            }
        }
    }
}
