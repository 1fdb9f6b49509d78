// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.settings.EngineKeys;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterProperty;

/** Jobs drawn from a seed, the same in each run; another seed draws others. */
class RandomJobsIT {
    private int overflowing;

    @Property(tries = 16, seed = "2243779865", shrinking = ShrinkingMode.OFF)
    void randomJobsGiveTheSameOutput(@ForAll final long seed) {
        final RandomJobs jobs = new RandomJobs(seed);
        check(jobs.spec(), jobs.engine());
    }

    @Property(tries = 4, seed = "2243779865", shrinking = ShrinkingMode.OFF)
    void largeRandomJobsGiveTheSameOutput(@ForAll final long seed) {
        final RandomJobs jobs = new RandomJobs(seed);
        check(jobs.largeSpec(), jobs.engine());
    }

    @Property(tries = 1, seed = "2243779865", shrinking = ShrinkingMode.OFF)
    void moreDataThan16MegabytesGiveTheSameOutputInThatMuchMemory(@ForAll final long seed) {
        check(new RandomJobs(seed).overflowingSpec(), Engine.SPILLWAY_FULL);
    }

    /** Else the budgets would prove nothing. */
    @AfterProperty
    void someJobsHadMoreDataForAReducerThanItsBudget() {
        assertThat(overflowing).isPositive();
    }

    private void check(final JobSpec spec, final Engine engine) {
        try {
            final JobResult result = Differential.assertSameOutput(spec, engine);
            final long budget =
                    EngineKeys.SHUFFLE_BUFFER_BYTES.get(spec::setting).orElse(Long.MAX_VALUE);
            final long mean = result.counter("REDUCE_SHUFFLE_BYTES") / spec.reducers();
            if (engine.spillwayFetchesFrom().isPresent() && mean > budget) {
                overflowing++;
            }
        } catch (Exception | AssertionError e) {
            throw new AssertionError(spec + " on " + engine, e);
        }
    }
}
