// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Encrypted intermediate data: stock's maps and Spillway's reducers, Spillway's maps and stock's
 * reducers, and both of Spillway, over its own protocol and over stock HTTP.
 */
class EncryptionIT {
    private static final String SORT_MB = "mapreduce.task.io.sort.mb";

    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        encrypted().partitioning(Partitioning.EVEN_ONLY).reducers(6),
                        encrypted().api(Api.OLD).codec(Codec.DEFAULT),
                        encrypted()
                                .codec(Codec.SNAPPY)
                                .values(ValueKind.BYTES_VARIED)
                                .set(SORT_MB, 1),
                        encrypted()
                                .set(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA_KEY_SIZE_BITS, 256),
                        spilling(),
                        spilling().set("mapreduce.task.io.sort.factor", 2),
                        encrypted()
                                .records(60_000)
                                .maps(1)
                                .set(SORT_MB, 1)
                                .keys(KeyKind.BYTE)
                                .combiner(Combining.SUM)
                                .reducer(ReduceStyle.SUM),
                        encrypted()
                                .values(ValueKind.BYTES_HUGE)
                                .maps(2)
                                .records(120)
                                .set(SORT_MB, 1)),
                Engine.SPILLWAY_MAP,
                Engine.SPILLWAY_REDUCE_TIGHT,
                Engine.SPILLWAY_TIGHT,
                Engine.SPILLWAY_MIXED_NODES_TIGHT);
    }

    /** Stock's handlers serve all outputs; spills stay in memory. */
    static Stream<Arguments> others() {
        return Stream.of(
                Arguments.of(encrypted().build(), Engine.SPILLWAY_STOCK_NODES),
                Arguments.of(
                        spilling().set("spillway.spill.tiers", "heap,disk").build(),
                        Engine.SPILLWAY_FULL),
                Arguments.of(
                        spilling().set("spillway.spill.tiers", "memory").build(),
                        Engine.SPILLWAY_FULL));
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource({"jobs", "others"})
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    private static JobSpec.Builder encrypted() {
        return job().set(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    }

    private static JobSpec.Builder spilling() {
        return encrypted().values(ValueKind.BYTES_100).records(15_000).maps(2).set(SORT_MB, 1);
    }
}
