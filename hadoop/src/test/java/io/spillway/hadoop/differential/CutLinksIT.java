// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import static io.spillway.hadoop.differential.JobSpec.largeJob;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Connections that end while reducers fetch and merge: never a wrong record. */
class CutLinksIT {
    static Stream<Arguments> cutJobs() {
        return Differential.matrix(
                Stream.of(
                        largeJob().maps(6),
                        largeJob().maps(6).codec(Codec.SNAPPY),
                        largeJob().maps(3).reducers(1).api(Api.OLD),
                        largeJob().maps(6).set(LoopbackNodes.BUSY, true)),
                Engine.SPILLWAY_CUT_LINKS,
                Engine.SPILLWAY_CUT_LINKS_TIGHT);
    }

    @ParameterizedTest(name = "{0} on {1}")
    @MethodSource("cutJobs")
    void cutConnectionsDoNotShow(final JobSpec spec, final Engine engine) throws Exception {
        final int before = LoopbackNodes.mischiefs();

        Differential.assertSameOutputAfterRetries(spec, engine);

        assertThat(LoopbackNodes.mischiefs()).as("connections cut").isGreaterThan(before);
    }
}
