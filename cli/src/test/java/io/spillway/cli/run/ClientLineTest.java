// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClientLineTest {
    @Test
    void findsTheJobInEitherLineOfTheClient() {
        assertThat(
                        ClientLine.jobId(
                                "2026-11-21 10:31:02,1 INFO JobSubmitter: Submitting tokens for"
                                        + " job: job_1795256927224_0001"))
                .contains("job_1795256927224_0001");
        assertThat(ClientLine.jobId("INFO Job: Running job: job_local123_0001"))
                .contains("job_local123_0001");
        assertThat(ClientLine.jobId("INFO Job: Job job_1_1 completed successfully")).isEmpty();
    }

    @Test
    void readsProgress() {
        assertThat(ClientLine.progress("INFO Job:  map 67% reduce 8%"))
                .hasValueSatisfying(both -> assertThat(both).containsExactly(67, 8));
        assertThat(ClientLine.progress("INFO Job: Counters: 54")).isEmpty();
    }
}
