package io.spillway.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestSummaryTest {
    @TempDir private Path root;

    private void report(final String module, final String kind, final String name, final int failed)
            throws IOException {
        final Path file = root.resolve(module + "/target/" + kind + "/TEST-" + name + ".xml");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "<?xml version=\"1.0\"?>\n"
                        + "<testsuite name=\"x\" tests=\"4\" errors=\"0\" skipped=\"1\""
                        + " time=\"1,000.75\" failures=\""
                        + failed
                        + "\"/>");
    }

    @Test
    void addsUpByModuleAndKind() throws IOException {
        report("core", "surefire-reports", "a.ATest", 0);
        report("core", "surefire-reports", "a.BTest", 0);
        report("bench", "failsafe-reports", "b.CIT", 0);
        final TestSummary summary = TestSummary.read(root);

        assertThat(summary.isGood()).isTrue();
        assertThat(summary.render())
                .containsPattern("core unit +8 +0 +2 +2002\\b")
                .containsPattern("bench integration +4 +0 +1 +1001\\b")
                .containsPattern("all +12 +0 +3");
    }

    @Test
    void isNotGoodWithAFailureOrWithoutTests() throws IOException {
        assertThat(TestSummary.read(root).isGood()).isFalse();
        report("core", "surefire-reports", "a.ATest", 1);
        assertThat(TestSummary.read(root).isGood()).isFalse();
        TestSummary.clear(root);
        assertThat(TestSummary.read(root).render()).containsPattern("all +0 +0 +0");
    }
}
