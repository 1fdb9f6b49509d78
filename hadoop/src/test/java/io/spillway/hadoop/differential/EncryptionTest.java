// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.job;

import java.util.stream.Stream;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Encrypted intermediate data: Spillway leaves the job to the next collector of the list. */
class EncryptionTest {
    static Stream<Arguments> jobs() {
        return Differential.matrix(
                Stream.of(encrypted(), encrypted().codec(Codec.DEFAULT), encrypted().api(Api.OLD)),
                Engine.underTest());
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("jobs")
    void fallsBackAndGivesTheSameOutput(final JobSpec spec, final Engine engine) throws Exception {
        Differential.assertSameOutput(spec, engine);
    }

    private static JobSpec.Builder encrypted() {
        return job().set(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, true);
    }
}
