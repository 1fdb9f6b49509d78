// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** One reducer and many, reducers and maps without records, no map at all. */
class PartitionsIT {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        job().reducers(1),
                        job().reducers(1).api(Api.OLD),
                        job().reducers(7).maps(9),
                        job().reducers(200).maps(2),
                        job().reducers(50)
                                .records(30_000)
                                .maps(1)
                                .values(ValueKind.BYTES_100)
                                .set("mapreduce.task.io.sort.mb", 1),
                        job().reducers(6).partitioning(Partitioning.ALL_TO_LAST),
                        job().reducers(6).partitioning(Partitioning.EVEN_ONLY),
                        job().reducers(6).partitioning(Partitioning.EVEN_ONLY).api(Api.OLD),
                        job().mapper(MapStyle.ODD_MAPS_SILENT).maps(5),
                        job().mapper(MapStyle.SILENT),
                        job().mapper(MapStyle.SILENT).codec(Codec.GZIP).reducers(20),
                        job().records(0),
                        job().records(1).maps(1),
                        job().maps(0),
                        job().maps(0).api(Api.OLD),
                        job().maps(40).records(20)),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }
}
