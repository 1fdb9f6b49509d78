package io.spillway.hadoop.differential;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;

/** Jobs that nobody thought of, the same in each run; another seed draws others. */
class RandomJobsIT {
    @Property(tries = 16, seed = "2243779865", shrinking = ShrinkingMode.OFF)
    void randomJobsGiveTheSameOutput(@ForAll final long seed) {
        final RandomJobs jobs = new RandomJobs(seed);
        check(jobs.spec(), jobs.engine());
    }

    @Property(tries = 5, seed = "2243779865", shrinking = ShrinkingMode.OFF)
    void largeRandomJobsGiveTheSameOutput(@ForAll final long seed) {
        final RandomJobs jobs = new RandomJobs(seed);
        check(jobs.largeSpec(), jobs.engine());
    }

    private static void check(final JobSpec spec, final Engine engine) {
        try {
            Differential.assertSameOutput(spec, engine);
        } catch (Exception | AssertionError e) {
            throw new AssertionError(spec + " on " + engine, e);
        }
    }
}
