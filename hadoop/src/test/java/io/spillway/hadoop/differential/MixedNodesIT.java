// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Map outputs on nodes without Spillway, map outputs that Spillway did not write, and maps that end
 * while reducers fetch.
 */
class MixedNodesIT {
    static Stream<Arguments> jobs() {
        return Stream.concat(
                Differential.matrix(
                        Stream.of(
                                job(),
                                job().maps(7).values(ValueKind.BYTES_VARIED),
                                job().maps(7).codec(Codec.SNAPPY).reducers(3),
                                job().maps(4)
                                        .api(Api.OLD)
                                        .combiner(Combining.OLD_SUM)
                                        .reducer(ReduceStyle.SUM),
                                job().maps(2).mapper(MapStyle.SILENT),
                                job().maps(2).records(60).reducers(1).values(ValueKind.BYTES_HUGE)),
                        Engine.SPILLWAY_REDUCE,
                        Engine.SPILLWAY_REDUCE_TIGHT,
                        Engine.SPILLWAY_MIXED_NODES,
                        Engine.SPILLWAY_MIXED_NODES_TIGHT,
                        Engine.SPILLWAY_STOCK_NODES),
                Differential.matrix(
                        Stream.of(
                                busy(job().maps(12)),
                                busy(job().maps(12).values(ValueKind.BYTES_VARIED).reducers(1)),
                                busy(job().maps(9).codec(Codec.DEFAULT).reducers(1))),
                        Engine.STOCK_OVER_LOOPBACK,
                        Engine.SPILLWAY_FULL,
                        Engine.SPILLWAY_TIGHT,
                        Engine.SPILLWAY_MIXED_NODES_TIGHT));
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    private static JobSpec.Builder busy(final JobSpec.Builder job) {
        return job.set(LoopbackNodes.BUSY, true);
    }
}
