// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TaskFixture;
import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.settings.EngineKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MergePolicyTest {
    private static final int CHUNK = 1024;

    /** Segments of about 1200 bytes; the budget's quarter is 10 KiB. */
    private static final String BUDGET = "40k";

    @TempDir Path localDir;

    private final MergeFixture fixture = new MergeFixture(CHUNK, 4000);
    private final TestSegment small =
            TestSegment.of(List.of(new TestSegment.Entry("k", "v")), null);

    private TaskFixture task;

    MergePolicyTest() throws IOException {}

    @BeforeEach
    void setUp() {
        task = new TaskFixture(2, localDir);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), BUDGET);
    }

    private MergePolicy policy(final boolean combines) throws IOException {
        return new MergePolicy(task.settings(), combines);
    }

    private void add(final MergePolicy policy, final int count) throws IOException {
        for (int i = 0; i < count; i++) {
            policy.add(segment());
        }
    }

    /** What comes of a merge of the next segments. */
    private void addMerged(final MergePolicy policy, final int count) throws IOException {
        final List<MemoryRun> inputs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            inputs.add(segment());
        }
        policy.add(MemoryRun.merged(inputs.get(0).take(fixture.pool, fixture.claim), inputs, 1, 1));
    }

    private MemoryRun segment() throws IOException {
        return fixture.segment(
                TestSegment.of(List.of(new TestSegment.Entry("k", "v".repeat(1200))), null));
    }

    @Test
    void withoutACombinerWaitsForManySegments() throws Exception {
        final MergePolicy policy = policy(false);
        add(policy, 63);
        assertThat(policy.next()).isNull();

        add(policy, 2);

        final MergePolicy.Batch batch = policy.next();
        assertThat(batch.inputs()).hasSize(64);
        assertThat(batch.combine()).isFalse();
        assertThat(batch.level()).isEqualTo(1);
        assertThat(policy.next()).isNull();
        policy.putBack(batch);
        assertThat(policy.next().inputs()).isEqualTo(batch.inputs());
    }

    @Test
    void mergesWhatWasMergedAsOften() throws Exception {
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "3");
        final MergePolicy policy = policy(false);
        add(policy, 2);
        addMerged(policy, 3);
        addMerged(policy, 3);
        assertThat(policy.next()).isNull();
        assertThat(policy.mergedRuns()).hasSize(2);

        addMerged(policy, 3);
        add(policy, 3);

        assertThat(policy.next().level()).isEqualTo(1);
        assertThat(policy.next().level()).isEqualTo(2);
        assertThat(policy.next()).isNull();
        assertThat(policy.mergedRuns()).isEmpty();
    }

    // ---- the order of the maps -----------------------------------------------------------------

    private void addMaps(final MergePolicy policy, final int from, final int to, final int step)
            throws IOException {
        for (int map = from; map < to; map += step) {
            policy.add(fixture.segment(small, map));
        }
    }

    private static List<Integer> maps(final MergePolicy.Batch batch) {
        return batch.inputs().stream().map(MemoryRun::first).toList();
    }

    @Test
    void neverMergesAcrossAMapThatIsToCome() throws Exception {
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "4");
        final MergePolicy policy = policy(false);
        addMaps(policy, 0, 40, 2);
        assertThat(policy.next()).isNull();

        addMaps(policy, 3, 4, 1);
        assertThat(policy.next()).isNull();
        addMaps(policy, 5, 6, 1);

        assertThat(maps(policy.next())).containsExactly(2, 3, 4, 5);
        assertThat(policy.next()).isNull();
    }

    @Test
    void mapsWithoutRecordsDoNotSeparate() throws Exception {
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "3");
        final MergePolicy policy = policy(false);
        addMaps(policy, 0, 1, 1);
        addMaps(policy, 3, 4, 1);
        addMaps(policy, 1000, 1001, 1);
        policy.add(MemoryRun.empty(2, 2));
        policy.add(MemoryRun.empty(5, 999));
        policy.add(MemoryRun.empty(1, 1));
        assertThat(policy.next()).isNull();

        policy.add(MemoryRun.empty(4, 4));

        final MergePolicy.Batch batch = policy.next();
        // The places of the others are theirs now.
        assertThat(maps(batch)).containsExactly(0, 2, 5);
        policy.putBack(batch);
        assertThat(maps(policy.next())).containsExactly(0, 2, 5);
    }

    @Test
    void whereAMergeLeftNothingItsPlaceDoesNotSeparate() throws Exception {
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "2");
        final MergePolicy policy = policy(false);
        addMaps(policy, 1, 3, 1);
        final MergePolicy.Batch batch = policy.next();
        addMaps(policy, 0, 1, 1);
        addMaps(policy, 3, 4, 1);
        assertThat(policy.next()).isNull();

        policy.add(MemoryRun.merged(List.of(), batch.inputs(), batch.level(), 0));

        assertThat(maps(policy.next())).containsExactly(0, 3);
    }

    @Test
    void whereTooFewAreNeighboursTheMostThatAreAreMerged() throws Exception {
        final MergePolicy policy = policy(false);
        addMaps(policy, 1000, 1052, 2);
        addMaps(policy, 100, 115, 1);
        addMaps(policy, 200, 221, 1);
        assertThat(policy.next()).isNull();

        addMaps(policy, 115, 117, 1);

        assertThat(maps(policy.next())).hasSize(21).startsWith(200).endsWith(220);
        assertThat(policy.next()).isNull();
    }

    @Test
    void aLongRunIsNotCopiedForTheSakeOfSomeShortOnes() throws Exception {
        final MergePolicy policy = policy(false);
        addMaps(policy, 1000, 1120, 2);
        addMaps(policy, 0, 5, 1);
        final TestSegment large =
                TestSegment.of(List.of(new TestSegment.Entry("k", "v".repeat(30_000))), null);
        policy.add(fixture.segment(large, 5));
        addMaps(policy, 6, 15, 1);

        assertThat(maps(policy.next())).containsExactly(6, 7, 8, 9, 10, 11, 12, 13, 14);
        assertThat(policy.next()).isNull();
    }

    /** Whatever arrives when: runs stay few and are not copied often, and places never mix. */
    @ParameterizedTest
    @ValueSource(ints = {1, 50, 400, 2000})
    void mergesEnoughInWhateverOrderMapsArrive(final int concurrent) throws Exception {
        final int maps = 2000;
        final Random random = new Random(concurrent);
        final MergePolicy policy = policy(false);
        final BitSet arrived = new BitSet();
        final List<Integer> running = new ArrayList<>();
        int started = 0;
        long copied = 0;
        for (int done = 0; done < maps; done++) {
            while (started < maps && running.size() < concurrent) {
                running.add(started++);
            }
            final int map = running.remove(random.nextInt(running.size()));
            arrived.set(map);
            policy.add(
                    random.nextInt(10) == 0
                            ? MemoryRun.empty(map, map)
                            : fixture.segment(small, map));
            for (MergePolicy.Batch b = policy.next(); b != null; b = policy.next()) {
                final MemoryRun run = merged(b);
                final int last = b.inputs().get(b.inputs().size() - 1).first();
                assertThat(arrived.nextClearBit(run.first())).isGreaterThan(last);
                copied += run.segments();
                policy.add(run);
            }
        }
        final List<MemoryRun> left = policy.mergedRuns();
        assertThat(left).isSortedAccordingTo(Comparator.comparingInt(MemoryRun::first));
        final int segmentsIn = left.stream().mapToInt(MemoryRun::segments).sum();
        assertThat(left.size() + 1800 - segmentsIn).as("runs left").isLessThan(150);
        assertThat(copied).as("segments copied").isLessThan(concurrent == 1 ? maps : 3 * maps);
    }

    private static MemoryRun merged(final MergePolicy.Batch batch) {
        final int bytes = batch.inputs().stream().mapToInt(run -> (int) run.rawLength()).sum();
        final Chunk chunk = Chunk.unpooled(bytes);
        chunk.length(bytes);
        return MemoryRun.merged(List.of(chunk), batch.inputs(), batch.level(), 1);
    }

    @Test
    void neverMergesWhenToldSo() throws Exception {
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "none");
        final MergePolicy policy = policy(false);
        add(policy, 300);

        assertThat(policy.next()).isNull();
    }

    @Test
    void combinesEightSegmentsButNoMoreThanAQuarterOfTheBudget() throws Exception {
        final MergePolicy policy = policy(true);
        add(policy, 7);
        assertThat(policy.next()).isNull();

        add(policy, 4);

        final MergePolicy.Batch batch = policy.next();
        assertThat(batch.combine()).isTrue();
        assertThat(batch.inputs()).hasSize(9);
        assertThat(batch.canBeHalved()).isTrue();
        final List<MemoryRun> halves = new ArrayList<>(batch.firstHalf().inputs());
        halves.addAll(batch.secondHalf().inputs());
        assertThat(halves).isEqualTo(batch.inputs());
    }

    @Test
    void combinesThreeLargeSegments() throws Exception {
        task.set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), "1k");
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "12k");
        final MergePolicy policy = policy(true);
        add(policy, 2);
        assertThat(policy.next()).isNull();
        add(policy, 2);

        assertThat(policy.next().inputs()).hasSize(3);
    }

    @Test
    void stopsCombiningWhenItTakesLessThanAFifthOff() throws Exception {
        final MergePolicy policy = policy(true);
        assertThat(policy.combined(1000, 800)).isTrue();
        assertThat(policy.combined(1000, 801)).isFalse();
        add(policy, 20);

        assertThat(policy.next()).isNull();
    }

    @Test
    void neverStopsWhereCombiningIsOn() throws Exception {
        task.set(EngineKeys.SHUFFLE_COMBINE.name(), "true");
        final MergePolicy policy = policy(true);

        assertThat(policy.combined(1000, 2000)).isTrue();
        policy.stopCombining();
        add(policy, 20);
        assertThat(policy.next()).isNull();
    }

    @Test
    void compressedSegmentsAreMergedOnlyToCombineThem() throws Exception {
        task.codec = new DefaultCodec();
        task.set(EngineKeys.SHUFFLE_MERGE_FACTOR.name(), "2");
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "4m");
        ((DefaultCodec) task.codec).setConf(new Configuration(false));
        final MergePolicy plain = policy(false);
        final MergePolicy combining = policy(true);
        add(plain, 5);
        add(combining, 5);

        assertThat(plain.next()).isNull();
        assertThat(combining.next().combine()).isTrue();
        addMerged(plain, 2);
        addMerged(plain, 2);
        assertThat(plain.next().level()).isEqualTo(2);
    }
}
