// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Records from no byte at all to more than the sort buffer. */
class RecordSizesIT {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(
                        job().keys(KeyKind.NULL).values(ValueKind.NULL),
                        job().keys(KeyKind.NULL)
                                .values(ValueKind.NULL)
                                .records(200_000)
                                .maps(1)
                                .set("mapreduce.task.io.sort.mb", 1),
                        job().keys(KeyKind.TEXT_EMPTY).values(ValueKind.NULL),
                        job().keys(KeyKind.NULL).values(ValueKind.BYTES_VARIED),
                        job().values(ValueKind.BYTES_VARIED),
                        job().values(ValueKind.BYTES_VARIED).api(Api.OLD),
                        job().values(ValueKind.BYTES_VARIED).set("mapreduce.task.io.sort.mb", 1),
                        huge(job().values(ValueKind.BYTES_HUGE)),
                        huge(job().values(ValueKind.BYTES_HUGE)).api(Api.OLD),
                        huge(job().values(ValueKind.BYTES_HUGE)).codec(Codec.SNAPPY).reducers(3),
                        huge(job().keys(KeyKind.TEXT_HUGE)),
                        huge(job().keys(KeyKind.TEXT_HUGE).values(ValueKind.BYTES_HUGE))),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    private static JobSpec.Builder huge(final JobSpec.Builder job) {
        return job.maps(2).records(120).set("mapreduce.task.io.sort.mb", 1);
    }
}
