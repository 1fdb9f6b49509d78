// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The reduce side under orders of events that a seed draws ({@link SeededThreads}): arrivals,
 * failures, re-runs, take-overs, merges that are cut, copies that are trimmed, records that are
 * consumed. Whatever the order: no chunk is lost or used twice, no fetch stays without an answer,
 * and the output is right and in map order, or the attempt fails for a reason that the test has
 * given.
 *
 * <p>The ordinary form runs 200 seeds in some seconds: 1 to 100, and 100 others each time. A
 * failure names its seed. The long form takes minutes; the other one repeats a seed:
 *
 * <pre>
 * mvn -pl engine -am test -Dtest=ReduceStressTest -Dsurefire.failIfNoSpecifiedTests=false \
 *     -Dspillway.test.jvm=-Dspillway.stress.seeds=10000
 * mvn … -Dspillway.test.jvm=-Dspillway.stress.seed=4711
 * </pre>
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReduceStressTest {
    private static final Logger LOG = LoggerFactory.getLogger(ReduceStressTest.class);

    private static final int SEEDS = Integer.getInteger("spillway.stress.seeds", 200);
    private static final Long SEED = Long.getLong("spillway.stress.seed");
    private static final int MOST_FAILURES = 5;

    @TempDir Path localDir;

    private final List<AssertionError> failures = new ArrayList<>();
    private final Map<StressJob.Trouble, Map<StressRun.Ending, Integer>> endings =
            new EnumMap<>(StressJob.Trouble.class);
    private final Map<String, Integer> figures = new TreeMap<>();

    @Test
    void whateverHappensInWhateverOrderTheOutputIsRightOrTheFailureHasAReason() throws Exception {
        if (SEED != null) {
            run(SEED);
        } else {
            final long fresh = System.nanoTime() >>> 8;
            for (int i = 1; i <= SEEDS && failures.size() < MOST_FAILURES; i++) {
                run(i <= SEEDS / 2 ? i : fresh + i);
            }
        }
        LOG.info("{}; runs with figures above 0: {}", endings, figures);
        assertThat(failures).isEmpty();
        if (SEED == null) {
            assertThat(endings).hasSameSizeAs(StressJob.Trouble.values());
            endings.values()
                    .forEach(counts -> assertThat(counts).containsKey(StressRun.Ending.DONE));
        }
    }

    private void run(final long seed) throws IOException {
        final StressRun run = new StressRun(seed, localDir);
        try {
            final StressRun.Ending ending = run.run();
            endings.computeIfAbsent(run.job().trouble, t -> new EnumMap<>(StressRun.Ending.class))
                    .merge(ending, 1, Integer::sum);
            run.figures().forEach(figure -> figures.merge(figure, 1, Integer::sum));
        } catch (final AssertionError e) {
            failures.add(e);
        }
    }

    /** Else a seed that a failure names would be of no use. */
    @Test
    void aSeedsRunCanBeRepeated() throws Exception {
        for (int seed = 1; seed <= 20; seed++) {
            final StressRun first = new StressRun(seed, localDir);
            first.run();
            final StressRun second = new StressRun(seed, localDir);
            second.run();

            assertThat(second.trace()).isEqualTo(first.trace());
        }
    }
}
