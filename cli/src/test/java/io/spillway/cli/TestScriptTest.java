// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code .ci/test} with a Maven that leaves reports of its own. */
class TestScriptTest {
    @TempDir private Path root;

    private Path maven;
    private int code;

    @BeforeEach
    void makeCheckout() throws IOException {
        Files.createDirectories(root.resolve(".ci"));
        Files.copy(Path.of("../.ci/test"), root.resolve(".ci/test"));
        Files.writeString(root.resolve("fine"), report(4, 0, "<testcase name='a'/>"));
        Files.writeString(root.resolve("broken"), report(4, 1, "<testcase name='a'/>"));
        Files.writeString(
                root.resolve("skipping"),
                report(
                                4,
                                0,
                                "<testcase name=\"needsUcx\" classname=\"a.SomeIT\"><skipped"
                                        + " message=\"no libucp\"/></testcase>")
                        .replace("skipped=\"0\"", "skipped=\"1\""));
        maven("fine");
    }

    private static String report(final int tests, final int failures, final String cases) {
        return String.format(
                "<?xml version=\"1.0\"?>%n<testsuite name=\"x\" tests=\"%d\" errors=\"0\""
                        + " skipped=\"0\" time=\"1,000.75\" failures=\"%d\">%s</testsuite>",
                tests, failures, cases);
    }

    /** A Maven whose first run leaves the first report, and so on; the last one again and again. */
    private void maven(final String... reports) throws IOException {
        maven = root.resolve("mvn");
        final List<String> lines =
                new ArrayList<>(
                        List.of(
                                "#!/bin/bash",
                                "echo \"$*\" >>'" + root + "/calls'",
                                "reports=(" + String.join(" ", reports) + ")",
                                "run=$(($(wc -l <'" + root + "/calls') - 1))",
                                "last=$((${#reports[@]} - 1))",
                                "report=${reports[run < last ? run : last]}",
                                "[ $report != none ] || exit 0",
                                "mkdir -p core/target/surefire-reports"
                                        + " lab/target/failsafe-reports",
                                "cp $report core/target/surefire-reports/TEST-a.ATest.xml",
                                "cp $report lab/target/failsafe-reports/TEST-b.BIT.xml",
                                "echo '[INFO] Tests run: 4 -- in a.ATest'",
                                "if [ $report = broken ]; then echo '[ERROR] it broke'; exit 1;"
                                        + " fi"));
        Files.writeString(maven, String.join("\n", lines) + "\n");
        Files.setPosixFilePermissions(maven, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private String run(final String... arguments) throws Exception {
        return run(false, arguments);
    }

    private String run(final boolean noSkips, final String... arguments) throws Exception {
        final List<String> command = new ArrayList<>(List.of(".ci/test"));
        command.addAll(List.of(arguments));
        final ProcessBuilder builder = new ProcessBuilder(command).directory(root.toFile());
        builder.environment().put("SPILLWAY_MVN", maven.toString());
        builder.environment().put("SPILLWAY_TEST_NO_SKIPS", String.valueOf(noSkips));
        builder.environment().remove("SPILLWAY_HOME");
        final Process process = builder.redirectErrorStream(true).start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        code = process.waitFor();
        return output;
    }

    @Test
    void addsUpByModuleAndKind() throws Exception {
        assertThat(run())
                .containsPattern("core unit +4 +0 +0 +1001\\b")
                .containsPattern("lab integration +4 +0 +0 +1001\\b")
                .containsPattern("all +8 +0 +0 +2002\\b")
                .contains("  Tests run: 4 -- in a.ATest\n")
                .contains("All tests passed.")
                .doesNotContain("run 1 of");
        assertThat(code).isZero();
        assertThat(root.resolve("calls")).content().contains("verify");
    }

    @Test
    void everyRunIsALineAndTheLastOneASummary() throws Exception {
        assertThat(run("-q", "--repeat=3"))
                .contains("run 1 of 3: passed, 8 tests", "run 3 of 3: passed")
                .containsOnlyOnce("lab integration")
                .contains("All tests passed 3 times in a row.")
                .doesNotContain("Tests run");
    }

    @Test
    void theFirstRunThatFailsIsTheLastAndACrashIsToldWithItsStack() throws Exception {
        maven("fine", "broken");
        assertThat(run("--repeat", "5"))
                .contains("run 1 of 5: passed", "run 2 of 5: FAILED", "  [ERROR] it broke")
                .contains("FAILED; log: " + root.toRealPath() + "/.spillway/test.log")
                .contains(root.toRealPath() + "/.spillway/clusters")
                .doesNotContain("in a row");
        assertThat(code).isEqualTo(1);
        assertThat(Files.readAllLines(root.resolve("calls"))).hasSize(2);
    }

    @Test
    void whatAJvmThatASignalEndedLeftIsTold() throws Exception {
        Files.createDirectories(root.resolve("core"));
        Files.createDirectories(root.resolve(".spillway/clusters"));
        final Path former = Files.writeString(root.resolve("core/hs_err_pid1.log"), "#  OLD\n");
        final Path other =
                Files.writeString(root.resolve(".spillway/clusters/hs_err_pid2.log"), "#  OTHER\n");
        maven("broken");
        Files.writeString(
                maven,
                Files.readString(maven)
                        .replace(
                                "echo '[ERROR] it broke'",
                                "printf '#\\n#  SIGSEGV (0xb)\\nC  [libuct.so+0x1] f\\nR1=2\\n'"
                                        + " >core/hs_err_pid3.log; echo 'tcp_ep.c:1 Fatal'"
                                        + " >core/target/surefire-reports/1.dumpstream"));

        assertThat(run())
                .contains("core/hs_err_pid3.log:", "#  SIGSEGV (0xb)", "C  [libuct.so+0x1] f")
                .contains("tcp_ep.c:1 Fatal")
                .doesNotContain("OLD", "OTHER", "R1=2");
        assertThat(former).doesNotExist();
        assertThat(other).exists();
    }

    @Test
    void whatALibraryPrintedBeforeItEndedAJvmIsTold() throws Exception {
        maven("broken");
        Files.writeString(
                maven,
                Files.readString(maven)
                        .replace(
                                "echo '[ERROR] it broke'",
                                "echo 'a line of a test'; echo '[host:1:2:0]"
                                        + " tcp_ep.c:1 Assertion failed'; echo"
                                        + " 'free(): invalid pointer'; echo '[ERROR] Crashed"
                                        + " tests:'"));

        assertThat(run())
                .contains("[host:1:2:0] tcp_ep.c:1 Assertion failed", "free(): invalid pointer")
                .doesNotContain("a line of a test");
    }

    @Test
    void skippedTestsAreNamedAndAreFailuresWhereNoneMayBe() throws Exception {
        maven("skipping");
        assertThat(run())
                .contains("skipped: a.SomeIT.needsUcx: no libucp")
                .contains("All tests passed.");
        assertThat(run(true))
                .contains("skipped: a.SomeIT.needsUcx: no libucp")
                .contains("Skipped tests count as failed: SPILLWAY_TEST_NO_SKIPS is set.");
        assertThat(code).isEqualTo(1);
    }

    @Test
    void noTestsAtAllAreAFailure() throws Exception {
        maven("none");
        assertThat(run("--repeat", "2")).contains("run 1 of 2: FAILED", "No test was run.");
        assertThat(code).isEqualTo(1);
    }

    @Test
    void someTestsAreChosenByPackageOrClass() throws Exception {
        run("--only", "failure");
        run("--only=NodeLossIT");
        run("--unit");
        assertThat(Files.readAllLines(root.resolve("calls")))
                .satisfiesExactly(
                        call -> assertThat(call).contains("-Dit.test=**/failure/*IT"),
                        call -> assertThat(call).contains("-Dit.test=NodeLossIT -D"),
                        call -> assertThat(call).contains("-DskipITs"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--repeat=0|--repeat 0: expected 1 to",
                "--only=a.b|--only a.b: expected a package",
                "--all|--all: expected",
            })
    void wrongOptionsAreNamed(final String option, final String expected) throws Exception {
        assertThat(run(option)).contains(expected);
        assertThat(code).isEqualTo(2);
        assertThat(run("--unit", "--only", "failure")).contains("expected one of them");
        assertThat(root.resolve("calls")).doesNotExist();
    }
}
