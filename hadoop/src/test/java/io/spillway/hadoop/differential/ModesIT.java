// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import io.spillway.conf.CommonKeys;
import io.spillway.engine.settings.EngineKeys;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Each mode, and windows of one size: from the map's spills through the reducer's merge. */
class ModesIT {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.concat(
                        Stream.of("auto", "rdma", "rdma-nvm", "hadoop-a")
                                .flatMap(mode -> jobsWith(CommonKeys.MODE.name(), mode).stream()),
                        jobsWith(EngineKeys.SHUFFLE_WINDOWS.name(), "static").stream()),
                Engine.SPILLWAY_FULL,
                Engine.SPILLWAY_TIGHT);
    }

    private static List<JobSpec.Builder> jobsWith(final String name, final String value) {
        return List.of(
                job().maps(7).values(ValueKind.BYTES_VARIED).set(name, value),
                job().maps(3)
                        .records(12_000)
                        .values(ValueKind.BYTES_100)
                        .codec(Codec.SNAPPY)
                        .set("mapreduce.task.io.sort.mb", 1)
                        .set(name, value),
                job().maps(5)
                        .api(Api.OLD)
                        .combiner(Combining.OLD_SUM)
                        .reducer(ReduceStyle.SUM)
                        .set(LoopbackNodes.BUSY, true)
                        .set(name, value));
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }
}
