package io.spillway.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

final class AttemptIdsTest {
    private static final String JOB = "job_1700000000000_0001";

    @Test
    void takesMapAttemptsOfTheJob() {
        assertThat(AttemptIds.isMapAttemptOf(JOB, "attempt_1700000000000_0001_m_000003_0"))
                .isTrue();
        assertThat(AttemptIds.isMapAttemptOf(JOB, "attempt_1700000000000_0001_m_1234567_12"))
                .isTrue();
    }

    @Test
    void takesNothingElse() {
        for (final String attempt :
                List.of(
                        "",
                        "attempt_1700000000000_0001_r_000003_0",
                        "attempt_1700000000000_0002_m_000003_0",
                        "attempt_1700000000000_00011_m_000003_0",
                        "attempt_1700000000000_0001_m_000003",
                        "attempt_1700000000000_0001_m_000003_0/..",
                        "attempt_1700000000000_0001_m_000003_0\n",
                        "attempt_1700000000000_0001_m_../x_0",
                        "attempt_1700000000000_0001_m_00000\u0663_0",
                        "attempt_1700000000000_0001_m_12345678901_0",
                        "task_1700000000000_0001_m_000003")) {
            assertThat(AttemptIds.isMapAttemptOf(JOB, attempt)).as(attempt).isFalse();
        }
        assertThat(AttemptIds.isMapAttemptOf("job_1", "attempt_1_m_000003_0")).isFalse();
        assertThat(AttemptIds.isMapAttemptOf("../job_1_1", "attempt_1_1_m_000003_0")).isFalse();
    }

    @Test
    void namesTheApplication() {
        assertThat(AttemptIds.applicationOf(JOB)).isEqualTo("application_1700000000000_0001");
        assertThatThrownBy(() -> AttemptIds.applicationOf("job_x"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("jobId=job_x");
    }
}
