// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.largeJob;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Networks that turn bits while reducers fetch and merge: never a wrong record. */
class FlippedLinksIT {
    private static final int SEEDS = 2;

    static Stream<Arguments> flippedJobs() {
        return Differential.matrix(
                IntStream.range(0, SEEDS)
                        .boxed()
                        .flatMap(
                                seed ->
                                        Stream.of(
                                                largeJob().seed(seed),
                                                largeJob().codec(Codec.SNAPPY).seed(seed))),
                Engine.SPILLWAY_FLIPPING_LINKS,
                Engine.SPILLWAY_FLIPPING_LINKS_TIGHT);
    }

    /** What was turned on the way is noticed before its records leave, and fetched again. */
    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("flippedJobs")
    void turnedBitsDoNotReachTheOutput(final JobSpec spec, final Engine engine) throws Exception {
        final int before = LoopbackNodes.mischiefs();

        Differential.assertSameOutputAfterRetries(spec, engine);

        assertThat(LoopbackNodes.mischiefs()).as("bits turned").isGreaterThan(before);
    }
}
