// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.map.remote.MemoryNode;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Channel;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.LongFunction;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outputs of maps that go to other nodes, against those that stay. */
class RemoteOutputTest {
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000000_0";
    private static final long ROOM = 64L << 20;

    /** None, gathered, one spill or many; with and without combiner, codec and runs. */
    @Provide
    Arbitrary<TestMap.Shape> shapes() {
        return Combinators.combine(
                        Arbitraries.longs(),
                        Arbitraries.of(0, 1, 100, 1_500, 4_000),
                        Arbitraries.of(true, false),
                        Arbitraries.of(1, 3, 40),
                        Arbitraries.of(20, 5_000),
                        Arbitraries.of(TestCombiner.Manner.class).injectNull(0.4),
                        Arbitraries.of(0, 1, 2, 3))
                .as(RemoteOutputTest::shape);
    }

    private static TestMap.Shape shape(
            final long seed,
            final int records,
            final boolean huge,
            final int partitions,
            final int keys,
            final TestCombiner.Manner combiner,
            final int settings) {
        final boolean compresses = settings == 3;
        return new TestMap.Shape(
                seed,
                records,
                huge,
                partitions,
                keys,
                combiner,
                compresses,
                settings == 1,
                compresses ? 1 : 1 + (int) Math.floorMod(seed, 12L),
                1 + settings,
                1 << (10 + (int) Math.floorMod(seed, 7L)));
    }

    private static LongFunction<Optional<RemoteOutput>> at(final List<MemoryNode> nodes) {
        return expectedBytes -> {
            final List<Channel> channels = nodes.stream().map(MemoryNode::connect).toList();
            return Optional.of(new RemoteOutput(OUTPUT, channels, MemoryNode.connector(nodes)));
        };
    }

    @Property(tries = 120, edgeCases = EdgeCasesMode.NONE)
    void nodesHaveWhatAFileOfThisHostWouldHave(
            @ForAll("shapes") final TestMap.Shape shape,
            @ForAll @IntRange(min = 1, max = 2) final int copies)
            throws Exception {
        final TestMap.Left local = new TestMap(shape).run();
        final List<MemoryNode> nodes = new ArrayList<>();
        for (int copy = 0; copy < copies; copy++) {
            nodes.add(new MemoryNode(copy, ROOM));
        }
        try {
            final TestMap map = new TestMap(shape, at(nodes));
            final TestMap.Left remote = map.run();

            assertThat(remote)
                    .usingRecursiveComparison()
                    .ignoringFields("how", "files")
                    .isEqualTo(local);
            assertThat(remote.how()).isEqualTo("places");
            assertThat(map.places())
                    .extracting(SegmentPlace::address)
                    .isEqualTo(nodes.stream().map(MemoryNode::address).toList());
            for (final MemoryNode node : nodes) {
                assertThat(node.openChannels()).isZero();
                for (int partition = 0; partition < shape.partitions(); partition++) {
                    assertHasRuns(node, local, partition);
                }
            }
            assertThat(map.report().get(ShuffleCounter.OUTPUT_REMOTE_BYTES))
                    .isEqualTo(local.length());
            assertThat(map.report().get(ShuffleCounter.OUTPUT_MEMORY_BYTES)).isZero();
            assertThat(map.report().get(ShuffleCounter.PLACEMENT_FALLBACKS)).isZero();
            assertThat(map.spillBytesLeft()).isZero();
            assertThat(map.sortProgress()).isEqualTo(1);
        } finally {
            nodes.forEach(MemoryNode::close);
        }
    }

    /** The segment is of as many runs as it is here, each with the same bytes. */
    private static void assertHasRuns(
            final MemoryNode node, final TestMap.Left local, final int partition) throws Exception {
        final int runs = local.files().size();
        try (ServedSegment segment = node.open(OUTPUT, partition)) {
            assertThat(segment.runs()).isEqualTo(runs);
        }
        for (int run = 0; run < runs; run++) {
            assertThat(node.read(OUTPUT, partition, run))
                    .isEqualTo(TestMap.segment(local, run, partition));
        }
    }

    /** Output and counters are those of a map that never knew of other nodes. */
    @Property(tries = 200, edgeCases = EdgeCasesMode.NONE)
    void aNodeThatIsLostLeavesNoTrace(
            @ForAll("shapes") final TestMap.Shape shape,
            @ForAll @IntRange(min = 0, max = 1001) final int permille)
            throws Exception {
        final TestMap alone = new TestMap(shape);
        final TestMap.Left local = alone.run();
        final long length = local.length();
        try (MemoryNode node = new MemoryNode(0, ROOM)) {
            if (permille > 1000) {
                node.lostAtCommit();
            } else {
                node.lostAfter((length - 1) * permille / 1000);
            }
            final TestMap map = new TestMap(shape, at(List.of(node)));
            assertThat(map.run()).isEqualTo(local);

            assertThat(map.places()).isEmpty();
            assertThatThrownBy(() -> node.open(OUTPUT, 0)).hasMessageContaining("is not here");
            assertThat(node.openChannels()).isZero();
            assertThat(map.report().get(ShuffleCounter.PLACEMENT_FALLBACKS)).isOne();
            assertThat(map.report().get(ShuffleCounter.OUTPUT_REMOTE_BYTES)).isZero();
            for (final ShuffleCounter figure :
                    List.of(
                            ShuffleCounter.OUTPUT_MEMORY_BYTES,
                            ShuffleCounter.SPILL_MEMORY_BYTES)) {
                assertThat(map.report().get(figure)).isEqualTo(alone.report().get(figure));
            }
            assertThat(map.spillBytesLeft()).isEqualTo(alone.spillBytesLeft());
            assertThat(map.sortProgress()).isEqualTo(1);
        }
    }

    @Test
    void aNodeWithoutRoomIsGivenBackWhatItTook() throws Exception {
        final TestMap.Shape shape =
                new TestMap.Shape(1, 4_000, false, 7, 5_000, null, false, false, 1, 3, 4 << 10);
        try (MemoryNode node = new MemoryNode(0, 200 << 10)) {
            final TestMap map = new TestMap(shape, at(List.of(node)));
            assertThat(map.run()).isEqualTo(new TestMap(shape).run());
            assertThat(map.report().get(ShuffleCounter.PLACEMENT_FALLBACKS)).isOne();
            assertThat(node.bytesTaken()).isPositive();
            node.awaitUsed(0);
        }
    }

    /** A commit that the node would refuse is known before the bytes go. */
    @Test
    void runsWhoseTableIsTooLongAreMergedAndWhatIsTooLongStaysHere() throws Exception {
        final TestMap.Shape shape =
                new TestMap.Shape(1, 4_000, false, 7, 5_000, null, false, false, 12, 3, 4 << 10);
        final TestMap.Left local = new TestMap(shape).run();
        assertThat(local.how()).isEqualTo("runs");
        final int oneRun = 7;
        try (MemoryNode node = new MemoryNode(0, ROOM).takesSegments(oneRun)) {
            final TestMap map = new TestMap(shape, at(List.of(node)));
            map.run();
            assertThat(map.report().get(ShuffleCounter.PLACEMENT_FALLBACKS)).isZero();
            assertThat(node.read(OUTPUT, 0)).isNotEmpty();
            assertThatThrownBy(() -> node.read(OUTPUT, 0, 1)).hasMessageContaining("is not among");
        }
        try (MemoryNode node = new MemoryNode(0, ROOM).takesSegments(oneRun - 1)) {
            final TestMap map = new TestMap(shape, at(List.of(node)));
            assertThat(map.run()).isEqualTo(local);
            assertThat(map.report().get(ShuffleCounter.PLACEMENT_FALLBACKS)).isOne();
            assertThat(node.bytesTaken()).isZero();
        }
    }

    /** What fails on this host is no reason to write the output once more. */
    @Test
    void aFailureOfTheTaskItselfIsThrown() {
        final TestMap.Shape shape =
                new TestMap.Shape(1, 100, false, 7, 5_000, null, false, false, 1, 3, 4 << 10);
        try (MemoryNode node = new MemoryNode(0, ROOM)) {
            final TestMap map =
                    new TestMap(
                            shape,
                            expectedBytes -> {
                                throw new IllegalStateException("no settings");
                            });
            assertThatThrownBy(map::run).hasMessage("no settings");
            assertThat(node.bytesTaken()).isZero();
        }
    }

    /** Else the reducers would verify the damaged bytes by checksums of the damaged bytes. */
    @Test
    void aSpillThatIsDamagedIsNotSent() throws Exception {
        final TestMap.Shape shape =
                new TestMap.Shape(1, 4_000, false, 7, 5_000, null, false, false, 12, 3, 4 << 10);
        assertThat(new TestMap(shape).run().how()).isEqualTo("runs");
        try (MemoryNode node = new MemoryNode(0, ROOM)) {
            final TestMap map = new TestMap(shape, at(List.of(node))).damaging();
            assertThatThrownBy(map::run)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("Damaged spill")
                    .hasMessageContaining("partition");
            assertThatThrownBy(() -> node.open(OUTPUT, 0)).hasMessageContaining("is not here");
        }
    }

    /** Gathered, in runs and merged: a node never serves what the map itself refuses. */
    @ParameterizedTest
    @CsvSource({"100, 1", "4000, 12", "4000, 1"})
    void anOutputThatLacksARecordIsNotCommitted(final int records, final int mostRuns)
            throws Exception {
        final TestMap.Shape shape =
                new TestMap.Shape(
                        1, records, false, 7, 5_000, null, false, false, mostRuns, 3, 4 << 10);
        try (MemoryNode node = new MemoryNode(0, ROOM)) {
            final TestMap map = new TestMap(shape, at(List.of(node)));
            assertThatThrownBy(() -> map.run(records + 1))
                    .hasMessageContaining("collected=" + (records + 1));
            assertThat(node.bytesTaken()).isPositive();
            assertThatThrownBy(() -> node.open(OUTPUT, 0)).hasMessageContaining("is not here");
            node.awaitUsed(0);
        }
    }

    @Test
    void theFrameworkLearnsTheExpectedLength() throws Exception {
        final TestMap.Shape shape =
                new TestMap.Shape(1, 4_000, false, 7, 5_000, null, false, false, 1, 3, 4 << 10);
        final List<Long> asked = new ArrayList<>();
        final TestMap map =
                new TestMap(
                        shape,
                        expectedBytes -> {
                            asked.add(expectedBytes);
                            return Optional.empty();
                        });
        final TestMap.Left left = map.run();
        assertThat(asked).hasSize(1);
        assertThat((double) asked.get(0)).isBetween(0.9 * left.length(), 1.1 * left.length());
    }
}
