// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import static io.spillway.cli.plan.model.PlanInputs.GIB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.conf.Placement;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import org.junit.jupiter.api.Test;

class PlanModelTest {
    @Test
    void aJobOfOneCoreIsTheSumOfItsWork() {
        final PlanInput input =
                PlanInputs.cluster()
                        .data(10_000_000_000L)
                        .split(2_500_000_000L)
                        .hosts(1)
                        .cores(1)
                        .slots(1)
                        .reduces(1)
                        .disk(Double.POSITIVE_INFINITY)
                        .build();

        final Forecast forecast = PlanModel.forecast(input, Placement.LOCAL, 1, 0);

        // 3 s to start, 4 maps of 2 s and 80 s of work, a reducer of 2 s and 50 s, 10 s to serve
        assertThat(forecast.seconds()).isCloseTo(3 + 4 * 2 + 80 + 2 + 50 + 10, within(1e-6));
        assertThat(forecast.bottleneck()).isEqualTo(Bottleneck.CPU);
        assertThat(forecast.layout().overflowBytes()).isZero();
    }

    @Test
    void aSlowLinkOfMemoryNodesBoundsWhatIsPut() {
        final PlanInput input =
                PlanInputs.cluster().data(40 * GIB).link(1e7).disk(1e12).reduces(1).build();

        final Forecast forecast = PlanModel.forecast(input, Placement.DEDICATED, 31, 1);

        assertThat(forecast.layout().nodeBytes()).isEqualTo(40.0 * GIB);
        assertThat(forecast.bottleneck()).isIn(Bottleneck.NODE_LINK, Bottleneck.LINK);
        assertThat(forecast.phases().get(1).bottleneck()).isEqualTo(Bottleneck.NODE_LINK);
        assertThat(forecast.phases().get(1).seconds().get(Bottleneck.NODE_LINK))
                .isCloseTo(40 * GIB / 1e7, within(1e-6));
    }

    @Test
    void whatMemoryDoesNotHoldGoesToDiskThenToTheSharedDisk() {
        final PlanInput input =
                PlanInputs.cluster().diskSpace(2 * GIB).shared(1e9).hosts(4).build();

        final OutputLayout layout = OutputLayout.of(input, Placement.LOCAL, 4, 0);

        assertThat(layout.tierBytes()).isEqualTo(4 * 16.0 * GIB);
        assertThat(layout.diskBytes()).isEqualTo(4 * 2.0 * GIB);
        assertThat(layout.sharedBytes()).isEqualTo((1024 - 64 - 8.0) * GIB);
        assertThat(layout.fits()).isTrue();
    }

    @Test
    void whatFitsNowhereTakesForever() {
        final PlanInput input = PlanInputs.cluster().diskSpace(GIB).hosts(4).build();

        final Forecast forecast = PlanModel.forecast(input, Placement.LOCAL, 4, 0);

        assertThat(forecast.seconds()).isInfinite();
        assertThat(forecast.bottleneck()).isEqualTo(Bottleneck.ROOM);
    }

    @Test
    void copiesAreNoMoreThanNodes() {
        final PlanInput input = PlanInputs.cluster().data(50 * GIB).copies(3).build();

        assertThat(OutputLayout.of(input, Placement.DEDICATED, 30, 2).copies()).isEqualTo(2);
        assertThat(OutputLayout.of(input, Placement.DEDICATED, 28, 4).copies()).isEqualTo(3);
    }

    @Test
    void aJobWithoutMapOutputIsItsMaps() {
        final PlanInput input = PlanInputs.cluster().ratio(0).build();

        final Forecast forecast = PlanModel.forecast(input, Placement.LOCAL, 32, 0);

        assertThat(forecast.phases().get(2).total()).isZero();
        assertThat(forecast.seconds()).isFinite().isPositive();
    }

    @Test
    void stockHadoopWithFastDisksIsTheSumOfItsWork() {
        final PlanInput input =
                PlanInputs.cluster()
                        .data(10_000_000_000L)
                        .split(2_500_000_000L)
                        .hosts(1)
                        .cores(1)
                        .slots(1)
                        .reduces(1)
                        .disk(Double.POSITIVE_INFINITY)
                        .build();

        assertThat(PlanModel.stock(input, 1).seconds())
                .isCloseTo(3 + 4 * 2 + 80 + 2 + 50 + 10, within(1e-6));
    }

    /** Memory for YARN alone leaves no page cache, so every byte is read from the disk. */
    @Test
    void stockHadoopWritesAndReadsAllOutputsSeveralTimes() {
        final PlanInputBuilder all = PlanInputs.cluster().hosts(4).yarn(63 * GIB).reduces(400);
        final PlanInput input = all.data(100 * GIB).build();

        final DiskPasses passes = DiskPasses.ofStock(input, 4, 400, 25.0 * GIB);

        // A map of 256 MiB spills 4 times, and merges them; a reducer writes and reads all.
        // A quarter of what reducers fetch is read and written while maps run.
        assertThat(passes.maps()).isCloseTo(1 + 2 + 0.25 * 2, within(1e-9));
        assertThat(passes.reduces()).isCloseTo(0.75 * 2 + 1, within(1e-9));
    }

    @Test
    void mapsWithOneSpillAndAPageCacheForAllWriteTwice() {
        final PlanInput input =
                PlanInputs.cluster().data(50 * GIB).split(64L << 20).hosts(4).build();

        final DiskPasses passes = DiskPasses.ofStock(input, 4, 400, 0);

        assertThat(passes.maps()).isCloseTo(1, within(1e-9));
        assertThat(passes.reduces()).isCloseTo(1, within(1e-9));
    }

    @Test
    void aStreamedShuffleWritesWhatHadoopsSortWritesAndNothingAtTheReducer() {
        final PlanInput input =
                PlanInputs.cluster().hosts(4).yarn(63 * GIB).data(100 * GIB).build();

        final DiskPasses passes = DiskPasses.ofStreamed(input, 4);

        assertThat(passes.maps()).isCloseTo(1 + 2, within(1e-9));
        assertThat(passes.reduces()).isCloseTo(1, within(1e-9));
        assertThat(PlanModel.streamed(input, 4).seconds())
                .isLessThan(PlanModel.stock(input, 4).seconds());
    }

    @Test
    void reducersWithManyRunsMergeThemOnceMore() {
        final PlanInput input = PlanInputs.cluster().yarn(63 * GIB).build();

        final double few = DiskPasses.ofStock(input, 32, 512, 0).reduces();
        final double many = DiskPasses.ofStock(input, 32, 32, 0).reduces();

        assertThat(many).isCloseTo(few + 2, within(1e-9));
    }

    @Property
    void stockHadoopNeedsNoLessTimeForMoreData(
            @ForAll @LongRange(min = 1, max = 1L << 42) final long data,
            @ForAll @LongRange(min = 0, max = 1L << 40) final long more,
            @ForAll @IntRange(min = 1, max = 32) final int slots) {
        final PlanInputBuilder builder = PlanInputs.cluster().memory(128 * GIB).slots(slots);
        final double less = PlanModel.stock(builder.data(data).build(), 32).seconds();
        final double all = PlanModel.stock(builder.data(data + more).build(), 32).seconds();

        assertThat(less).isPositive();
        assertThat(all).isGreaterThanOrEqualTo(less * (1 - 1e-9));
    }

    @Property
    void moreLinkIsNeverSlower(
            @ForAll final Placement placement,
            @ForAll @DoubleRange(min = 1e6, max = 1e11) final double link,
            @ForAll @DoubleRange(min = 1, max = 100) final double factor,
            @ForAll @IntRange(max = 8) final int nodes) {
        final double slow = seconds(PlanInputs.cluster().link(link), placement, nodes);
        final double fast = seconds(PlanInputs.cluster().link(link * factor), placement, nodes);

        assertThat(fast).isPositive().isLessThanOrEqualTo(slow * (1 + 1e-9));
    }

    @Property
    void moreDataIsNeverFaster(
            @ForAll final Placement placement,
            @ForAll @LongRange(min = 1, max = 1L << 42) final long data,
            @ForAll @LongRange(min = 0, max = 1L << 40) final long more,
            @ForAll @IntRange(min = 1, max = 32) final int slots,
            @ForAll @IntRange(min = 1, max = 16) final int cores,
            @ForAll @IntRange(max = 8) final int nodes) {
        final PlanInputBuilder builder =
                PlanInputs.cluster().memory(128 * GIB).slots(slots).cores(cores);
        final double less = seconds(builder.data(data), placement, nodes);
        final double all = seconds(builder.data(data + more), placement, nodes);

        assertThat(less).isPositive();
        assertThat(all).isGreaterThanOrEqualTo(less * (1 - 1e-9));
    }

    @Property
    void everyByteHasOnePlace(
            @ForAll final Placement placement,
            @ForAll @LongRange(min = 1, max = 1L << 44) final long data,
            @ForAll @IntRange(min = 1, max = 3) final int copies,
            @ForAll @IntRange(max = 16) final int nodes) {
        final PlanInput input =
                PlanInputs.cluster().data(data).copies(copies).diskSpace(20 * GIB).build();

        final OutputLayout layout = OutputLayout.of(input, placement, 32 - nodes, nodes);

        assertThat(
                        layout.tierBytes()
                                + layout.nodeBytes()
                                + layout.diskBytes()
                                + layout.sharedBytes()
                                + layout.lostBytes())
                .isCloseTo(
                        input.job().mapOutputBytes(),
                        within(1 + input.job().mapOutputBytes() * 1e-9));
        assertThat(layout.lostBytes()).isGreaterThanOrEqualTo(0);
    }

    private static double seconds(
            final PlanInputBuilder builder, final Placement placement, final int nodes) {
        return PlanModel.forecast(builder.build(), placement, 32, nodes).seconds();
    }
}
