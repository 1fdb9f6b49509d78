// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.control.StatusClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The scripts of {@code dist}, as systemd and srun start them. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class DistTest {
    private static final Path DIST = Path.of("../dist").toAbsolutePath().normalize();
    private static final int SIGTERM = 128 + 15;

    @TempDir private Path folder;
    private Path hadoop;
    private Path jar;
    private Path log;

    /** A Hadoop whose class path is this test's, and a jar with nothing that it lacks. */
    @BeforeEach
    void makeHadoop() throws IOException {
        hadoop = folder.resolve("hadoop");
        script(
                hadoop.resolve("bin/hadoop"),
                "[ \"$1\" = classpath ] && echo '" + System.getProperty("java.class.path") + "'");
        jar = Files.createFile(folder.resolve("spillway-hadoop.jar"));
        log = folder.resolve("log");
    }

    private static void script(final Path file, final String line) throws IOException {
        Files.createDirectories(file.getParent());
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }

    private Process start(final Map<String, String> variables, final List<String> command)
            throws IOException {
        final ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
        builder.environment().put("HADOOP_HOME", hadoop.toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(variables);
        return builder.redirectErrorStream(true).redirectOutput(log.toFile()).start();
    }

    private List<String> nodeCommand(final Path script, final Path socket) {
        final List<String> command = new ArrayList<>(List.of(script.toString()));
        for (final String setting :
                List.of(
                        "spillway.node.socket=" + socket,
                        "spillway.node.host=127.0.0.1",
                        "spillway.node.http.port=none",
                        "spillway.node.transports=tcp")) {
            command.addAll(List.of("-D", setting));
        }
        return command;
    }

    private void awaitServing(final Process process, final Path socket)
            throws InterruptedException {
        TestManager.await(
                "a node process that serves",
                () -> {
                    assertThat(process.isAlive()).as(this::log).isTrue();
                    try {
                        return StatusClient.ask(socket).contains("\"pid\":");
                    } catch (final IOException e) {
                        return false;
                    }
                });
    }

    private String log() {
        try {
            return Files.readString(log);
        } catch (final IOException e) {
            return e.toString();
        }
    }

    @Test
    void nodeScriptBecomesTheNodeProcessAndEndsWithTheCodeThatSystemdKnows() throws Exception {
        // As it is installed: a link to the script, with the jar beside it.
        final Path installed = Files.copy(DIST.resolve("spillway-node"), folder.resolve("real"));
        final Path link = Files.createSymbolicLink(folder.resolve("spillway-node"), installed);
        final Path socket = folder.resolve("run/node.sock");
        final Process process = start(Map.of(), nodeCommand(link, socket));
        try {
            awaitServing(process, socket);
            assertThat(StatusClient.ask(socket)).contains("\"pid\":" + process.pid() + ",");
            assertThat(process.info().command().orElseThrow()).endsWith("/java");

            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(this::log).isTrue();
            assertThat(process.exitValue()).isEqualTo(SIGTERM);
            assertThat(Files.readString(DIST.resolve("spillway-node.service")))
                    .contains("SuccessExitStatus=" + SIGTERM + "\n")
                    .contains(
                            "RestartPreventExitStatus="
                                    + NodeMain.WRONG_INPUT
                                    + " "
                                    + NodeMain.RUNS_ALREADY
                                    + "\n");
        } finally {
            process.destroyForcibly();
        }
    }

    /** One is for the host's NodeManager, the other has a folder of settings for each name. */
    @Test
    void bothUnitsStartTheNodeProcessInTheSameWay() throws IOException {
        final String unit = Files.readString(DIST.resolve("spillway-node.service"));
        final String template = Files.readString(DIST.resolve("spillway-node@.service"));

        assertThat(template).contains("HADOOP_CONF_DIR=/etc/spillway/%i\n");
        assertThat(ofService(template).replace("/etc/spillway/%i", "/etc/hadoop/conf"))
                .isEqualTo(ofService(unit));
    }

    private static String ofService(final String unit) {
        return unit.substring(unit.indexOf("[Service]"));
    }

    /** A java that prints its arguments where it is to become the node process. */
    @Test
    void nodeScriptGivesTheJvmTheMemoryOfTheSettings() throws Exception {
        final Path home = folder.resolve("jdk");
        script(
                home.resolve("bin/java"),
                "case $* in *jvm-options*) exec '"
                        + System.getProperty("java.home")
                        + "/bin/java' \"$@\" ;; esac; echo \"started with $*\"");
        final List<String> command = nodeCommand(DIST.resolve("spillway-node"), folder);
        command.addAll(List.of("-D", "spillway.node.memory.bytes=32g"));
        final Map<String, String> at =
                Map.of("SPILLWAY_JAR", jar.toString(), "JAVA_HOME", home.toString());
        final Process process = start(at, command);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        final long heap = 256 + 32 * 1024 / 16;
        final long direct = 4 * 128 + 256 + 32 * 1024;
        assertThat(log())
                .contains("started with -Xmx" + heap + "m -XX:MaxDirectMemorySize=" + direct + "m");
    }

    @Test
    void nodeScriptOfAnUnpackedReleaseTakesTheJarOfThatRelease() throws Exception {
        final Path release = folder.resolve("release");
        final Path script = release.resolve("dist/spillway-node");
        final Path home = folder.resolve("jdk");
        Files.createDirectories(script.getParent());
        Files.copy(DIST.resolve("spillway-node"), script);
        Files.createDirectories(release.resolve("lib"));
        Files.createFile(release.resolve("lib/spillway-hadoop-0.1.0.jar"));
        script(home.resolve("bin/java"), "echo \"class path: $CLASSPATH\"");
        final Map<String, String> at =
                Map.of("JAVA_HOME", home.toString(), "SPILLWAY_NODE_OPTS", "-Xmx64m");
        final Process process = start(at, List.of(script.toString()));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(log())
                .startsWith(
                        "class path: " + script.getParent() + "/../lib/spillway-hadoop-0.1.0.jar:");
    }

    @Test
    void nodeScriptNamesAMissingJarAndAWrongSetting() throws Exception {
        Files.delete(jar);
        final Path script = DIST.resolve("spillway-node");
        final Map<String, String> at = Map.of("SPILLWAY_JAR", jar.toString());
        final Process without = start(at, List.of(script.toString()));
        assertThat(without.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(without.exitValue()).isEqualTo(NodeMain.WRONG_INPUT);
        assertThat(log()).contains("no " + jar + "; name the jar with SPILLWAY_JAR");

        Files.createFile(jar);
        final Process wrong =
                start(at, List.of(script.toString(), "-D", "spillway.node.http.port=many"));
        assertThat(wrong.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong.exitValue()).isEqualTo(NodeMain.WRONG_INPUT);
        assertThat(log()).contains("spillway.node.http.port=many: expected");
    }

    /** With an srun that runs its command here. */
    @Test
    void slurmScriptStartsANodeProcessAndANodeManager() throws Exception {
        final Path home = folder.resolve("home");
        final Path bin = folder.resolve("bin");
        script(
                bin.resolve("srun"),
                "while case $1 in --*) true ;; *) false ;; esac; do shift; done; exec \"$@\"");
        final String note = "echo \"$0 $* jar=$SPILLWAY_JAR home=$HADOOP_HOME\"";
        script(home.resolve("spillway/spillway-node"), note);
        script(home.resolve("hadoop/bin/yarn"), note);
        final Process process =
                start(
                        Map.of("HOME", home.toString(), "PATH", bin + ":" + System.getenv("PATH")),
                        List.of("bash", DIST.resolve("spillway-node.sbatch").toString()));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).as(this::log).isZero();
        assertThat(log())
                .contains(
                        home + "/spillway/spillway-node  jar=" + home + "/spillway/",
                        home + "/hadoop/bin/yarn nodemanager jar=" + home + "/spillway/");
    }

    /** The same, with the ranks of an MPI world. */
    @Test
    void slurmScriptStartsRanksWhereItIsAskedTo() throws Exception {
        final Path home = folder.resolve("home");
        final Path bin = folder.resolve("bin");
        script(
                bin.resolve("srun"),
                "echo \"srun $*\"; while case $1 in --*) true ;; *) false ;; esac; do shift; done;"
                        + " exec \"$@\"");
        script(home.resolve("hadoop/bin/yarn"), "exit 0");
        // Code 2 ends the loop that starts worlds.
        script(home.resolve("spillway/spillway-node"), "echo \"node $*\"; exit 2");
        Files.copy(DIST.resolve("spillway-mpi"), home.resolve("spillway/spillway-mpi"));
        final Process process =
                start(
                        Map.of(
                                "HOME",
                                home.toString(),
                                "PATH",
                                bin + ":" + System.getenv("PATH"),
                                "SPILLWAY_MPI",
                                "pmix"),
                        List.of("bash", DIST.resolve("spillway-node.sbatch").toString()));
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();

        assertThat(process.exitValue()).as(this::log).isZero();
        assertThat(log())
                .containsPattern("srun --job-name=spillway-mpi-\\d+ --overlap --mpi=pmix ")
                .contains("node --mpi\n", "a wrong setting");
    }

    @Test
    void worldsAreStartedAgainUntilSigterm() throws Exception {
        final Path world = folder.resolve("mpirun");
        final Path count = folder.resolve("count");
        script(
                world,
                "trap 'echo stopped; exit 0' TERM\n"
                        + "echo x >>"
                        + count
                        + "; [ \"$(wc -l <"
                        + count
                        + ")\" -lt 3 ] && exit 9\n"
                        + "echo \"third $*\"; while :; do sleep 0.1; done");
        final Process process =
                start(
                        Map.of("SPILLWAY_MPI_DELAY_MAX", "1"),
                        List.of(
                                DIST.resolve("spillway-mpi").toString(),
                                world.toString(),
                                "two words"));
        try {
            TestManager.await("the third world", () -> log().contains("third two words"));
            process.destroy();
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(this::log).isTrue();
        } finally {
            process.destroyForcibly();
        }

        assertThat(process.exitValue()).as(this::log).isZero();
        assertThat(log()).contains("the world ended with code 9", "stopped");
        assertThat(Files.readAllLines(count)).hasSize(3);
    }

    @Test
    void whatCannotStartRanksIsNamed() throws Exception {
        final String script = DIST.resolve("spillway-mpi").toString();
        for (final List<String> arguments :
                List.of(List.of(script), List.of(script, "--survive", "/bin/true"))) {
            final Process process = start(Map.of(), arguments);
            assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(process.exitValue()).isEqualTo(NodeMain.WRONG_INPUT);
            assertThat(log()).contains("spillway-mpi: ").contains("expected ");
        }
    }
}
