package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.SpillwayKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MergeLevelsTest {
    private static final int CHUNK = 1024;

    /** Segments of about 1200 bytes; the budget's quarter is 10 KiB. */
    private static final String BUDGET = "40k";

    @TempDir Path localDir;

    private final MergeFixture fixture = new MergeFixture(CHUNK, 4000);
    private ReduceFixture task;

    @BeforeEach
    void setUp() {
        task = new ReduceFixture(2, localDir);
        task.set(SpillwayKeys.SHUFFLE_BUFFER_BYTES.name(), BUDGET);
    }

    private MergeLevels levels(final boolean combines) throws IOException {
        return new MergeLevels(ShuffleChoice.of(task.context()).settings(), combines);
    }

    private void add(final MergeLevels levels, final int count) throws IOException {
        for (int i = 0; i < count; i++) {
            levels.add(
                    fixture.segment(
                            TestSegment.of(
                                    List.of(new TestSegment.Entry("k", "v".repeat(1200))), null)));
        }
    }

    @Test
    void withoutACombinerWaitsForManySegments() throws Exception {
        final MergeLevels levels = levels(false);
        add(levels, 63);
        assertThat(levels.next()).isNull();

        add(levels, 2);

        final MergeLevels.Batch batch = levels.next();
        assertThat(batch.inputs()).hasSize(64);
        assertThat(batch.combine()).isFalse();
        assertThat(batch.level()).isEqualTo(1);
        assertThat(levels.next()).isNull();
        levels.putBack(batch);
        assertThat(levels.next().inputs()).isEqualTo(batch.inputs());
    }

    @Test
    void mergesWhatWasMergedAsOften() throws Exception {
        task.set(SpillwayKeys.SHUFFLE_MERGE_FACTOR.name(), "3");
        final MergeLevels levels = levels(false);
        add(levels, 2);
        levels.add(MemoryRun.merged(List.of(), 1));
        levels.add(MemoryRun.merged(List.of(), 1));
        assertThat(levels.next()).isNull();
        assertThat(levels.mergedRuns()).hasSize(2);

        add(levels, 1);
        levels.add(MemoryRun.merged(List.of(), 1));

        assertThat(levels.next().level()).isEqualTo(1);
        assertThat(levels.next().level()).isEqualTo(2);
        assertThat(levels.next()).isNull();
        assertThat(levels.mergedRuns()).isEmpty();
    }

    @Test
    void neverMergesWhenToldSo() throws Exception {
        task.set(SpillwayKeys.SHUFFLE_MERGE_FACTOR.name(), "0");
        final MergeLevels levels = levels(false);
        add(levels, 300);

        assertThat(levels.next()).isNull();
    }

    @Test
    void combinesEightSegmentsButNoMoreThanAQuarterOfTheBudget() throws Exception {
        final MergeLevels levels = levels(true);
        add(levels, 7);
        assertThat(levels.next()).isNull();

        add(levels, 4);

        final MergeLevels.Batch batch = levels.next();
        assertThat(batch.combine()).isTrue();
        assertThat(batch.inputs()).hasSize(9);
        assertThat(batch.canBeHalved()).isTrue();
        final List<MemoryRun> halves = new ArrayList<>(batch.firstHalf().inputs());
        halves.addAll(batch.secondHalf().inputs());
        assertThat(halves).isEqualTo(batch.inputs());
    }

    @Test
    void combinesThreeLargeSegments() throws Exception {
        task.set(SpillwayKeys.SHUFFLE_WINDOW_MIN.name(), "1k");
        task.set(SpillwayKeys.SHUFFLE_BUFFER_BYTES.name(), "12k");
        final MergeLevels levels = levels(true);
        add(levels, 2);
        assertThat(levels.next()).isNull();
        add(levels, 2);

        assertThat(levels.next().inputs()).hasSize(3);
    }

    @Test
    void stopsCombiningWhenItTakesLessThanAFifthOff() throws Exception {
        final MergeLevels levels = levels(true);
        assertThat(levels.combined(1000, 800)).isTrue();
        assertThat(levels.combined(1000, 801)).isFalse();
        add(levels, 20);

        assertThat(levels.next()).isNull();
    }

    @Test
    void neverStopsWhereCombiningIsOn() throws Exception {
        task.set(SpillwayKeys.SHUFFLE_COMBINE.name(), "on");
        final MergeLevels levels = levels(true);

        assertThat(levels.combined(1000, 2000)).isTrue();
        levels.stopCombining();
        add(levels, 20);
        assertThat(levels.next()).isNull();
    }

    @Test
    void compressedSegmentsAreMergedOnlyToCombineThem() throws Exception {
        task.codec = new DefaultCodec();
        task.set(SpillwayKeys.SHUFFLE_MERGE_FACTOR.name(), "2");
        task.set(SpillwayKeys.SHUFFLE_BUFFER_BYTES.name(), "4m");
        ((DefaultCodec) task.codec).setConf(task.conf);
        final MergeLevels plain = levels(false);
        final MergeLevels combining = levels(true);
        add(plain, 5);
        add(combining, 5);

        assertThat(plain.next()).isNull();
        assertThat(combining.next().combine()).isTrue();
        plain.add(MemoryRun.merged(List.of(), 1));
        plain.add(MemoryRun.merged(List.of(), 1));
        assertThat(plain.next().level()).isEqualTo(2);
    }
}
