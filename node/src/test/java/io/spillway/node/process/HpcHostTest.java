// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What {@code spillway hpc} runs on each host. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class HpcHostTest {
    private static final Path SCRIPT =
            Path.of("../dist/spillway-hpc-host").toAbsolutePath().normalize();

    @TempDir private Path session;

    /** A Hadoop whose daemon leaves a process that does not end at SIGTERM. */
    @BeforeEach
    void makeSession() throws IOException {
        for (final String name : List.of("logs", "run", "conf", "conf-node", "disk")) {
            Files.createDirectory(session.resolve(name));
        }
        final Path hadoop = session.resolve("hadoop/bin/hadoop");
        Files.createDirectories(hadoop.getParent());
        Files.writeString(
                hadoop,
                "#!/bin/bash\n"
                        + "if [ \"$1\" = classpath ]; then echo '"
                        + System.getProperty("java.class.path")
                        + "'; exit; fi\n"
                        + "if [ \"$1\" = jnipath ]; then exit; fi\n"
                        + "case $1 in *JobHistoryServer) exit 7;; esac\n"
                        + "(trap '' TERM; echo $BASHPID >\"$SPILLWAY_HPC_LOCAL/child\"; while :; do"
                        + " sleep 0.2; done) &\n"
                        + "mkdir -p \"$SPILLWAY_HPC_LOCAL/containers/app\"\n"
                        + "echo said >\"$SPILLWAY_HPC_LOCAL/containers/app/syslog\"\n"
                        + "echo $1 $HADOOP_CONF_DIR $SPILLWAY_HPC_MEMORY_MB $SPILLWAY_HPC_ADDRESS\n"
                        + "exec sleep 1000\n");
        Files.setPosixFilePermissions(hadoop, PosixFilePermissions.fromString("rwxr-xr-x"));
        Files.createFile(session.resolve("spillway.jar"));
        Files.writeString(
                session.resolve("session.env"),
                String.join(
                        "\n",
                        "HADOOP_HOME=" + session.resolve("hadoop"),
                        "JAVA_HOME=" + System.getProperty("java.home"),
                        "SPILLWAY_JAR=" + session.resolve("spillway.jar"),
                        "SPILLWAY_HPC_ID=7",
                        "SPILLWAY_HPC_DIRS=" + session.resolve("disk")));
        Files.writeString(
                session.resolve("hosts"),
                "n1 n1 100 1 historyserver\nn10 10.0.0.10 2048 4 nodemanager\n");
    }

    private Process start(final String... arguments) throws IOException {
        final List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(session.resolve("log").toFile())
                .start();
    }

    private String text(final String file) {
        try {
            return Files.readString(session.resolve(file));
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private static void await(final BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Test
    void leavesNothingAtItsEnd() throws Exception {
        final Process host = start("serve", session.toString(), "n10");
        final Path local = session.resolve("disk/spillway-hpc-7.n10");
        await(() -> text("logs/n10-nodemanager.log").contains("NodeManager"));
        await(() -> Files.exists(local.resolve("child")) && Files.exists(local.resolve("pid")));
        final long child = Long.parseLong(Files.readString(local.resolve("child")).trim());
        assertThat(text("logs/n10-nodemanager.log"))
                .contains(session.resolve("conf-node") + " 2048 10.0.0.10");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(local)))
                .isEqualTo("rwx------");

        assertThat(start("stop", session.toString(), "n10").waitFor()).isZero();
        assertThat(host.waitFor()).as(text("log")).isZero();

        // The process is killed; another process reaps it a moment later.
        await(() -> ProcessHandle.of(child).filter(ProcessHandle::isAlive).isEmpty());
        assertThat(session.resolve("disk")).isEmptyDirectory();
        assertThat(text("logs/containers/n10/app/syslog")).isEqualTo("said\n");
        assertThat(session.resolve("run/n10.ended")).exists();
    }

    @Test
    void saysWhichDaemonHasEndedByItself() throws Exception {
        final Process host = start("serve", session.toString(), "n1");

        assertThat(host.waitFor()).isEqualTo(1);

        assertThat(text("log")).contains("historyserver ended with code 7");
        assertThat(session.resolve("run/n1-historyserver.failed")).exists();
        assertThat(session.resolve("disk")).isEmptyDirectory();
    }

    @Test
    void findsItsAddressInANetwork() throws Exception {
        assertThat(facts("127.0.0.0/8")).matches("spillway-host n1 127\\.0\\.0\\.1 \\d+ \\d+ .*\n");
        assertThat(facts("lo")).contains(" 127.0.0.1 ");
        assertThat(facts("-")).startsWith("spillway-host n1 n1 ");
        assertThat(facts("203.0.113.0/24")).contains("--network 203.0.113.0/24", "lo 127.0.0.1/8");
    }

    private static String facts(final String network) throws Exception {
        final Process process =
                new ProcessBuilder(SCRIPT.toString(), "facts", network, "n1")
                        .redirectErrorStream(true)
                        .start();
        return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
}
