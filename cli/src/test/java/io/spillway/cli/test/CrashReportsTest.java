package io.spillway.cli.test;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashReportsTest {
    private static final String READY = "ready";

    @TempDir private Path root;
    private Path module;

    @BeforeEach
    void makeModule() throws IOException {
        module = Files.createDirectories(root.resolve("transport-x"));
        Files.createFile(module.resolve("pom.xml"));
    }

    @Test
    void aJvmThatASignalEndsIsToldWithItsStack() throws Exception {
        crashIn(module);

        assertThat(CrashReports.read(root))
                .anyMatch(line -> line.matches("transport-x/hs_err_pid\\d+\\.log:"))
                .anyMatch(line -> line.contains("SIGSEGV"))
                .anyMatch(line -> line.matches(" +[CV]  \\[lib.*"))
                .hasSizeLessThan(60);
    }

    @Test
    void whatANativeLibraryPrintedIsTold() throws Exception {
        final Path reports = Files.createDirectories(module.resolve("target/surefire-reports"));
        Files.writeString(
                reports.resolve("2026-11-24T10-00-00_000-jvmRun1.dumpstream"),
                "Corrupted channel by directly writing to native stream\n\n"
                        + "tcp_ep.c:1 Fatal: unexpected\n");

        assertThat(CrashReports.read(root)).contains("  tcp_ep.c:1 Fatal: unexpected");
    }

    @Test
    void reportsOfFormerRunsAreDeleted() throws Exception {
        Files.writeString(module.resolve("hs_err_pid1.log"), "#  SIGSEGV\n");
        final Path cluster = Files.createDirectories(root.resolve(".spillway/clusters"));
        final Path other = Files.writeString(cluster.resolve("hs_err_pid2.log"), "#  SIGSEGV\n");

        CrashReports.clear(root);

        assertThat(CrashReports.read(root)).isEmpty();
        assertThat(other).exists();
    }

    private static void crashIn(final Path folder) throws IOException, InterruptedException {
        final Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx32m",
                                "-XX:-CreateCoredumpOnCrash",
                                "-cp",
                                System.getProperty("java.class.path"),
                                CrashReportsTest.class.getName())
                        .directory(folder.toFile())
                        .redirectErrorStream(true)
                        .start();
        try {
            assertThat(process.inputReader().readLine()).isEqualTo(READY);
            new ProcessBuilder("kill", "-SEGV", Long.toString(process.pid())).start().waitFor();
            process.getInputStream().readAllBytes();
            assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            process.destroyForcibly();
        }
    }

    /** Waits for the signal. */
    public static void main(final String[] arguments) throws InterruptedException {
        System.out.println(READY);
        Thread.sleep(60_000);
    }
}
