// SPDX-License-Identifier: Apache-2.0
package io.spillway.seed;

import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.LongStream;

/**
 * Seeds of tests that draw their data: a fixed one, which draws the same in every run, and a fresh
 * one, which is printed. With {@value #VARIABLE} in the environment the fresh one is that number,
 * so that a run can be done again. Thread-safe.
 */
public final class TestSeed {
    /** Of the environment. */
    public static final String VARIABLE = "SPILLWAY_TEST_SEED";

    private static final System.Logger LOG = System.getLogger(TestSeed.class.getName());

    /** The same for all tests of a JVM, as a single variable has to bring all of them back. */
    private static final long FRESH =
            Optional.ofNullable(System.getenv(VARIABLE))
                    .map(Long::decode)
                    .orElseGet(() -> new SplittableRandom().nextInt(Integer.MAX_VALUE) + 1L);

    private TestSeed() {}

    /**
     * The fresh seed.
     *
     * @param test whose output names it
     */
    public static long fresh(final Class<?> test) {
        LOG.log(
                System.Logger.Level.INFO,
                test.getSimpleName() + ": to repeat this run, set " + VARIABLE + "=" + FRESH);
        return FRESH;
    }

    /** A fixed seed, and the fresh one: for a parameterized test. */
    public static LongStream fixedAndFresh(final long fixed, final Class<?> test) {
        return LongStream.of(fixed, fresh(test));
    }
}
