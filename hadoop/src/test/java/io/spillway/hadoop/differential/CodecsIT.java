// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Compressed map output. */
class CodecsIT {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.concat(
                        Stream.of(job().codec(Codec.BZIP2).maps(2).reducers(1)),
                        Stream.of(Codec.DEFAULT, Codec.DEFLATE, Codec.GZIP, Codec.SNAPPY)
                                .flatMap(
                                        codec ->
                                                Stream.of(
                                                        job().codec(codec),
                                                        job().codec(codec)
                                                                .values(ValueKind.BYTES_VARIED)
                                                                .reducers(5)
                                                                .set(
                                                                        "mapreduce.task.io.sort.mb",
                                                                        1),
                                                        job().codec(codec)
                                                                .mapper(MapStyle.SILENT)))),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }
}
