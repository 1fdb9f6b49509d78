// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Sort and grouping comparators that are not the key's own. */
class OrderingsTest {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        job().keys(KeyKind.TEXT).ordering(Ordering.REVERSE_TEXT),
                        job().keys(KeyKind.TEXT_ZEROS).ordering(Ordering.REVERSE_TEXT),
                        job().keys(KeyKind.INT).ordering(Ordering.REVERSE_INT),
                        job().keys(KeyKind.LONG).ordering(Ordering.DECREASING_LONG),
                        job().keys(KeyKind.TEXT_ZEROS).ordering(Ordering.SHORT_TEXT_FIRST),
                        job().keys(KeyKind.TEXT_MIXED_CASE).ordering(Ordering.CASE_INSENSITIVE),
                        job().keys(KeyKind.TEXT_FIELDS).ordering(Ordering.KEY_FIELD),
                        job().keys(KeyKind.PAIR).ordering(Ordering.FIRST_OF_PAIR),
                        job().keys(KeyKind.TEXT).ordering(Ordering.TEXT_AS_BYTES),
                        secondary(KeyKind.PAIR, Ordering.SECONDARY_PAIR),
                        secondary(KeyKind.TEXT_PRIMARY, Ordering.SECONDARY_TEXT),
                        secondary(KeyKind.TEXT_PRIMARY, Ordering.SECONDARY_TEXT).api(Api.OLD),
                        secondary(KeyKind.TEXT_PRIMARY, Ordering.SECONDARY_REVERSE),
                        secondary(KeyKind.TEXT_PRIMARY, Ordering.SECONDARY_REVERSE).api(Api.OLD),
                        job().keys(KeyKind.TEXT)
                                .values(ValueKind.ECHO)
                                .ordering(Ordering.ONE_GROUP),
                        job().keys(KeyKind.TEXT)
                                .ordering(Ordering.REVERSE_TEXT)
                                .values(ValueKind.BYTES_100)
                                .records(15_000)
                                .set("mapreduce.task.io.sort.mb", 1)),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    /** The values show in what order a group's keys come. */
    private static JobSpec.Builder secondary(final KeyKind keys, final Ordering ordering) {
        return job().keys(keys)
                .values(ValueKind.ECHO)
                .ordering(ordering)
                .partitioning(Partitioning.BY_PRIMARY)
                .reducers(3);
    }
}
