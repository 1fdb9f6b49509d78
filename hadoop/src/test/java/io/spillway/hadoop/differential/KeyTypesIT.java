// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every kind of key, collected at once and over several spills. */
class KeyTypesIT {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.concat(
                        Stream.of(KeyKind.values()).map(KeyTypesIT::jobWith),
                        Stream.of(
                                        KeyKind.TEXT_ZEROS,
                                        KeyKind.BYTES_ZEROS,
                                        KeyKind.DOUBLE,
                                        KeyKind.LONG)
                                .map(kind -> spilling(jobWith(kind)))),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void givesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    private static JobSpec.Builder jobWith(final KeyKind kind) {
        final JobSpec.Builder job = job().keys(kind);
        return kind == KeyKind.JAVA_STRING
                ? job.ordering(Ordering.JAVA).values(ValueKind.JAVA_LONG)
                : job;
    }

    private static JobSpec.Builder spilling(final JobSpec.Builder job) {
        return job.values(ValueKind.BYTES_100)
                .records(20_000)
                .maps(1)
                .set("mapreduce.task.io.sort.mb", 1);
    }
}
