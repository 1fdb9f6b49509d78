// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ReportTextTest {
    private static final Finding NOTE = Finding.note("n", "so what", "nothing").by("b");
    private static final Finding ERROR =
            Finding.error("it is gone", "nothing works", "bring it back").by("a");

    private static DoctorReport report(final int hosts, final Finding... findings) {
        return new DoctorReport(
                IntStream.range(0, hosts)
                        .mapToObj(
                                host ->
                                        new HostFindings(
                                                "n" + host,
                                                Map.of("hadoop", "3.5.0"),
                                                List.of(findings)))
                        .toList(),
                List.of());
    }

    @Test
    void theWorstComesFirstAndWhatIsTheSameOnSeveralHostsOnce() {
        assertThat(ReportText.of(report(6, NOTE, ERROR)))
                .isEqualTo(
                        """
                        ERROR    a on n0, n1, n2, n3 and 2 more: it is gone
                                 nothing works
                                 -> bring it back
                        NOTE     b on n0, n1, n2, n3 and 2 more: n
                                 so what
                                 -> nothing
                        6 hosts: 6 errors, 0 warnings
                        """);
    }

    @Test
    void aHostWithNotesOnlyIsHealthy() {
        assertThat(ReportText.of(report(1, NOTE))).endsWith("1 host: healthy\n");
    }

    @Test
    void jsonIsReadAsItWasWritten() throws IOException {
        final DoctorReport report = report(2, NOTE, ERROR);

        assertThat(DoctorReport.parse(report.json())).isEqualTo(report);
        assertThat(report.json()).doesNotContain("\n");
    }

    @Test
    void whatIsNoReportIsRefused() {
        assertThatThrownBy(() -> DoctorReport.parse("Permission denied"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("no report of spillway doctor");
    }
}
