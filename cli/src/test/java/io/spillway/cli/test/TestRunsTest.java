package io.spillway.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TestRunsTest {
    @TempDir private Path root;

    private final StringWriter out = new StringWriter();
    private final AtomicInteger runs = new AtomicInteger();
    private boolean skips;

    private boolean pass(final int times, final int failingRun) throws Exception {
        return pass(times, failingRun, true);
    }

    private boolean pass(final int times, final int failingRun, final boolean maySkip)
            throws Exception {
        final Path log = root.resolve("test.log");
        return new TestRuns(
                        root,
                        log,
                        new PrintWriter(out),
                        maySkip,
                        () -> {
                            final boolean fails = runs.incrementAndGet() == failingRun;
                            report(fails ? 1 : 0);
                            Files.writeString(log, fails ? "[ERROR] it broke\n" : "[INFO] fine\n");
                            return fails ? 1 : 0;
                        })
                .pass(times);
    }

    private void report(final int failures) throws IOException {
        final Path file = root.resolve("bench/target/failsafe-reports/TEST-a.SomeIT.xml");
        Files.createDirectories(file.getParent());
        Files.writeString(
                file,
                "<testsuite tests=\"3\" errors=\"0\" skipped=\""
                        + (skips ? 1 : 0)
                        + "\" failures=\""
                        + failures
                        + "\"><testcase classname=\"a.SomeIT\" name=\"needsUcx\">"
                        + (skips ? "<skipped message=\"no libucp\"/>" : "")
                        + "</testcase></testsuite>");
    }

    @Test
    void skippedTestsAreNamedWithTheirReason() throws Exception {
        skips = true;
        assertThat(pass(1, 0)).isTrue();
        assertThat(out.toString())
                .contains("skipped: a.SomeIT.needsUcx: no libucp")
                .contains("All tests passed.");
    }

    @Test
    void skippedTestsAreFailuresWhereNoneMayBeSkipped() throws Exception {
        assertThat(pass(2, 0, false)).isTrue();
        skips = true;
        assertThat(pass(2, 0, false)).isFalse();
        assertThat(out.toString())
                .contains("run 1 of 2: FAILED")
                .contains("skipped: a.SomeIT.needsUcx: no libucp")
                .contains("Skipped tests count as failed: SPILLWAY_TEST_NO_SKIPS is set.");
    }

    @Test
    void oneRunIsASummary() throws Exception {
        assertThat(pass(1, 0)).isTrue();
        assertThat(out.toString())
                .containsPattern("bench integration +3 +0 +0")
                .contains("All tests passed.")
                .doesNotContain("run 1 of");
    }

    @Test
    void everyRunIsALineAndTheLastOneASummary() throws Exception {
        assertThat(pass(3, 0)).isTrue();
        assertThat(runs).hasValue(3);
        assertThat(out.toString())
                .contains("run 1 of 3: passed, 3 tests", "run 3 of 3: passed")
                .containsOnlyOnce("bench integration")
                .contains("All tests passed 3 times in a row.");
    }

    @Test
    void theFirstRunThatFailsIsTheLast() throws Exception {
        assertThat(pass(5, 2)).isFalse();
        assertThat(runs).hasValue(2);
        assertThat(out.toString())
                .contains("run 1 of 5: passed", "run 2 of 5: FAILED", "[ERROR] it broke")
                .contains("FAILED; log: " + root.resolve("test.log"))
                .contains(root.resolve(".spillway/clusters").toString())
                .doesNotContain("in a row");
    }

    @Test
    void noTestsAtAllAreAFailure() throws Exception {
        final TestRuns none =
                new TestRuns(root, root.resolve("none.log"), new PrintWriter(out), true, () -> 0);

        assertThat(none.pass(2)).isFalse();
        assertThat(out.toString()).contains("No test was run.");
    }
}
