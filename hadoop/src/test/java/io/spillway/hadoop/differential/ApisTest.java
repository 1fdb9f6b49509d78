// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.apache.hadoop.mapred.LocalJobRunner;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Old and new API on both sides, mappers with threads, reducers that stop early or go back. */
class ApisTest {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.concat(
                        Stream.of(Api.values())
                                .flatMap(
                                        api ->
                                                Stream.of(
                                                        job().api(api),
                                                        job().api(api)
                                                                .mapper(MapStyle.MULTITHREADED),
                                                        job().api(api)
                                                                .keys(KeyKind.BYTE)
                                                                .reducer(ReduceStyle.PARTIAL))),
                        Stream.of(
                                job().keys(KeyKind.BYTE).reducer(ReduceStyle.MARK_RESET),
                                job().keys(KeyKind.BYTE)
                                        .values(ValueKind.BYTES_VARIED)
                                        .reducer(ReduceStyle.MARK_RESET),
                                job().keys(KeyKind.NULL)
                                        .values(ValueKind.BYTES_VARIED)
                                        .reducers(1)
                                        .reducer(ReduceStyle.MARK_RESET),
                                job().reducer(ReduceStyle.STOPS_EARLY),
                                job().values(ValueKind.BYTES_VARIED)
                                        .reducer(ReduceStyle.STOPS_EARLY),
                                job().maps(6)
                                        .reducers(6)
                                        .values(ValueKind.BYTES_VARIED)
                                        .set(LocalJobRunner.LOCAL_MAX_MAPS, 3)
                                        .set(LocalJobRunner.LOCAL_MAX_REDUCES, 3),
                                job().mapper(MapStyle.MULTITHREADED)
                                        .values(ValueKind.BYTES_100)
                                        .records(15_000)
                                        .set("mapreduce.task.io.sort.mb", 1))),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }
}
