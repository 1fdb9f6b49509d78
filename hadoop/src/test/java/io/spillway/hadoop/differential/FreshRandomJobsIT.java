// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import io.spillway.seed.TestSeed;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Jobs that no run before has had; what {@link RandomJobsIT} draws is the same each time. */
class FreshRandomJobsIT {
    private static final int JOBS = 10;
    private static final int LARGE_JOBS = 2;

    /** A job and where it runs, by their names: those of a failure say what was drawn. */
    static Stream<Arguments> jobs() {
        final long seed = TestSeed.fresh(FreshRandomJobsIT.class);
        return Stream.concat(
                LongStream.range(seed, seed + JOBS)
                        .mapToObj(RandomJobs::new)
                        .map(drawn -> Arguments.of(drawn.spec(), drawn.engine())),
                LongStream.range(seed, seed + LARGE_JOBS)
                        .mapToObj(RandomJobs::new)
                        .map(drawn -> Arguments.of(drawn.largeSpec(), drawn.engine())));
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void freshJobsGiveTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }
}
