// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What fails a job on stock Hadoop fails it here, with the same words. */
class FailuresTest {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.concat(
                        Stream.of(Api.NEW, Api.OLD).flatMap(FailuresTest::faultyJobs),
                        Stream.of(
                                job().set("mapreduce.task.io.sort.mb", 2048),
                                job().set("mapreduce.task.io.sort.mb", -1),
                                job().set("mapreduce.task.io.sort.mb", 0),
                                job().set("mapreduce.map.sort.spill.percent", "0"),
                                job().set("mapreduce.map.sort.spill.percent", "-0.5"),
                                job().set("mapreduce.map.sort.spill.percent", "1.01"),
                                job().set("mapreduce.task.spill.files.count.limit", -2),
                                spilling().set("mapreduce.task.spill.files.count.limit", 0),
                                spilling().set("mapreduce.task.spill.files.count.limit", 1),
                                spilling().combiner(Combining.THROWS),
                                spilling().combiner(Combining.OLD_THROWS),
                                spilling().mapper(MapStyle.THROWS),
                                job().ordering(Ordering.JAVA)
                                        .keys(KeyKind.JAVA_STRING)
                                        .set(
                                                "io.serializations",
                                                "org.apache.hadoop.io.serializer.WritableSerialization"),
                                job().set(
                                                "mapreduce.job.output.key.comparator.class",
                                                "no.such.Comparator"),
                                job().codec(Codec.LZ4),
                                job().codec(Codec.ZSTANDARD))),
                Engine.SPILLWAY_MAP,
                Engine.SPILLWAY_TIGHT);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void failsAlike(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameFailure(spec, engine);
    }

    private static Stream<JobSpec.Builder> faultyJobs(final Api api) {
        return Stream.of(
                job().api(api).mapper(MapStyle.THROWS),
                job().api(api).mapper(MapStyle.WRONG_KEY_CLASS),
                job().api(api).mapper(MapStyle.KEY_SUBCLASS),
                job().api(api).mapper(MapStyle.WRONG_VALUE_CLASS),
                job().api(api).partitioning(Partitioning.TOO_HIGH),
                job().api(api).partitioning(Partitioning.NEGATIVE),
                job().api(api).reducer(ReduceStyle.THROWS),
                job().api(api).combiner(Combining.THROWS),
                job().api(api).combiner(Combining.OLD_THROWS));
    }

    private static JobSpec.Builder spilling() {
        return job().values(ValueKind.LONG).records(70_000).set("mapreduce.task.io.sort.mb", 1);
    }
}
