// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The values of equal keys come in the order of the maps and of emission, byte for byte, in
 * whatever order maps end, are lost, run again and are fetched. What is expected is computed from
 * the input alone.
 */
class EqualKeysIT {
    private static final String FACTOR = "spillway.shuffle.merge.factor";

    /** All that decides when a record comes where. */
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        job().maps(12),
                        arriving(1, job().maps(24).set(FACTOR, 3)),
                        arriving(2, job().maps(24).set(FACTOR, 3)),
                        arriving(3, job().maps(24).set(FACTOR, 8).reducers(1)),
                        arriving(4, job().maps(16).keys(KeyKind.NULL).reducers(1)),
                        arriving(5, job().maps(9).codec(Codec.DEFAULT)),
                        arriving(6, job().maps(12).mapper(MapStyle.ODD_MAPS_SILENT).set(FACTOR, 2)),
                        arriving(7, linking(Combining.LINK)),
                        arriving(8, linking(Combining.OLD_LINK).codec(Codec.DEFAULT)),
                        arriving(
                                9,
                                linking(Combining.LINK).set("spillway.shuffle.combine", "true"))),
                Engine.SPILLWAY_FULL,
                Engine.SPILLWAY_TIGHT,
                Engine.SPILLWAY_MIXED_NODES_TIGHT,
                Engine.SPILLWAY_STOCK_NODES,
                Engine.SPILLWAY_CUT_LINKS_TIGHT);
    }

    /** All that decides how a map's records are sorted and which keys are equal. */
    static Stream<Arguments> sorts() {
        return Differential.matrix(
                Stream.of(
                        spilling(1),
                        spilling(1).keys(KeyKind.BOOLEAN),
                        spilling(1).set("spillway.sort.prefix", "false"),
                        spilling(1).set("mapreduce.task.io.sort.factor", 2).codec(Codec.DEFAULT),
                        spilling(1).set("mapreduce.task.io.sort.factor", 3).codec(Codec.DEFAULT),
                        spilling(1).set("spillway.mode", "rdma"),
                        spilling(8),
                        spilling(64).records(120_000).maps(1).values(ValueKind.LONG),
                        job().maps(2).records(60).values(ValueKind.BYTES_HUGE),
                        linking(Combining.LINK)
                                .records(25_000)
                                .maps(2)
                                .set("mapreduce.task.io.sort.mb", 1),
                        job().keys(KeyKind.TEXT_ZEROS),
                        job().keys(KeyKind.TEXT_LONG_PREFIX).reducers(1).records(3000),
                        job().keys(KeyKind.TEXT_MIXED_CASE).ordering(Ordering.CASE_INSENSITIVE),
                        job().keys(KeyKind.TEXT_FIELDS).ordering(Ordering.KEY_FIELD),
                        job().keys(KeyKind.PAIR).ordering(Ordering.FIRST_OF_PAIR),
                        job().keys(KeyKind.TEXT_PRIMARY)
                                .ordering(Ordering.SECONDARY_TEXT)
                                .reducers(1),
                        job().ordering(Ordering.ONE_GROUP)),
                Engine.SPILLWAY_FULL,
                Engine.SPILLWAY_TIGHT);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource({"jobs", "sorts"})
    void comeAsTheyWereEmitted(final JobSpec spec, final Engine engine) throws Exception {
        final JobResult result = JobRunner.run(spec, engine);

        assertThat(result.failure()).isEmpty();
        final List<List<OutputReader.Line>> expected = EmittedOrder.of(spec);
        assertThat(result.partitions()).hasSameSizeAs(expected);
        for (int partition = 0; partition < expected.size(); partition++) {
            Differential.assertSameLines(
                    partition, expected.get(partition), result.partitions().get(partition));
        }
    }

    private static JobSpec.Builder job() {
        return JobSpec.job().inOrder();
    }

    private static JobSpec.Builder arriving(final int seed, final JobSpec.Builder job) {
        return job.set(LoopbackNodes.BUSY, true).set(LoopbackNodes.ARRIVAL, seed);
    }

    private static JobSpec.Builder linking(final Combining combiner) {
        return job().maps(16)
                .values(ValueKind.TEXT)
                .combiner(combiner)
                .reducer(ReduceStyle.LINKED)
                .keys(KeyKind.BOOLEAN);
    }

    private static JobSpec.Builder spilling(final int sortMegabytes) {
        return job().values(ValueKind.BYTES_100)
                .records(25_000)
                .maps(2)
                .set("mapreduce.task.io.sort.mb", sortMegabytes);
    }
}
