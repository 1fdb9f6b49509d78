// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class ExaminationTest {
    private static final Finding FINDING = Finding.note("a", "b", "c");
    private final Examination examination = new Examination(Duration.ofMillis(300));

    private record Look(String name, Callable<List<Finding>> how) implements Check {
        @Override
        public List<Finding> look() throws IOException {
            try {
                return how.call();
            } catch (final IOException | RuntimeException e) {
                throw e;
            } catch (final Exception e) {
                throw new IOException(e);
            }
        }
    }

    @Test
    void aCheckThatHangsIsAFindingAndHoldsUpNoOther() {
        final CountDownLatch never = new CountDownLatch(1);
        final long begun = System.nanoTime();

        final List<Finding> findings =
                examination.of(
                        List.of(
                                new Look(
                                        "hangs",
                                        () -> {
                                            never.await();
                                            return List.of();
                                        }),
                                new Look("looks", () -> List.of(FINDING))));

        assertThat(findings).extracting(Finding::check).containsExactly("hangs", "looks");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.WARNING);
        assertThat(findings.get(0).what()).contains("has not ended");
        assertThat(findings.get(1)).isEqualTo(FINDING.by("looks"));
        assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(5));
    }

    @Test
    void aCheckThatFailsIsAFinding() {
        final List<Finding> findings =
                examination.of(
                        List.of(
                                new Look(
                                        "fails",
                                        () -> {
                                            throw new IOException("no such device");
                                        })));

        assertThat(findings).hasSize(1);
        assertThat(findings.get(0).what()).contains("no such device");
    }
}
