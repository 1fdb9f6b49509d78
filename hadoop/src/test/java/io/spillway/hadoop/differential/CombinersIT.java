// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Combiners of both APIs, per spill and at the merge. */
class CombinersIT {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        sum(Combining.SUM),
                        sum(Combining.OLD_SUM),
                        sum(Combining.SUM).api(Api.OLD),
                        sum(Combining.OLD_SUM).api(Api.OLD),
                        distinct(Combining.DISTINCT),
                        distinct(Combining.OLD_DISTINCT),
                        distinct(Combining.OLD_DISTINCT).api(Api.OLD),
                        spilling(sum(Combining.SUM)),
                        spilling(sum(Combining.OLD_SUM)),
                        spilling(sum(Combining.SUM)).set("mapreduce.map.combine.minspills", 1),
                        spilling(sum(Combining.SUM)).set("mapreduce.map.combine.minspills", 99),
                        spilling(sum(Combining.OLD_SUM)).codec(Codec.DEFAULT),
                        sum(Combining.SUM).mapper(MapStyle.SILENT),
                        grouping(Combining.SUM),
                        // It gives a group its first key: which one reducers see depends on how
                        // often it runs, and in stock it does not run again for so few records.
                        grouping(Combining.OLD_SUM).set("spillway.shuffle.combine", "false"),
                        spilling(grouping(Combining.SUM)),
                        spilling(distinct(Combining.DISTINCT))),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("oneSpill")
    void countsTheSameForOneSpill(final JobSpec spec, final Engine engine) throws Exception {
        final JobResult expected = Differential.reference(spec);
        final JobResult actual = Differential.assertSameOutput(spec, engine);

        assertThat(expected.counter("COMBINE_INPUT_RECORDS")).isPositive();
        for (final String counter :
                List.of("COMBINE_INPUT_RECORDS", "COMBINE_OUTPUT_RECORDS", "SPILLED_RECORDS")) {
            assertThat(actual.counter(counter)).as(counter).isEqualTo(expected.counter(counter));
        }
    }

    /** Jobs whose combiner runs once a map and never at the reducer, in stock. */
    static Stream<Arguments> oneSpill() {
        return Differential.matrix(
                Stream.of(sum(Combining.SUM), sum(Combining.OLD_SUM), distinct(Combining.DISTINCT)),
                Engine.SPILLWAY_MAP);
    }

    private static JobSpec.Builder sum(final Combining combiner) {
        return job().keys(KeyKind.BYTE).combiner(combiner).reducer(ReduceStyle.SUM);
    }

    private static JobSpec.Builder distinct(final Combining combiner) {
        return job().keys(KeyKind.BOOLEAN)
                .values(ValueKind.TEXT)
                .combiner(combiner)
                .reducer(ReduceStyle.DISTINCT);
    }

    /** The combiner sums over all keys of a group. */
    private static JobSpec.Builder grouping(final Combining combiner) {
        return job().keys(KeyKind.PAIR)
                .ordering(Ordering.SECONDARY_PAIR)
                .partitioning(Partitioning.BY_PRIMARY)
                .combiner(combiner)
                .combinerGroups()
                .reducer(ReduceStyle.SUM);
    }

    private static JobSpec.Builder spilling(final JobSpec.Builder job) {
        return job.records(100_000).maps(1).set("mapreduce.task.io.sort.mb", 1);
    }
}
