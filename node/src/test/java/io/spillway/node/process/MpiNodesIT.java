// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.mpi.MpiInstallation;
import io.spillway.node.control.StatusClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Node processes as ranks, started by the launchers of both families of MPI libraries. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class MpiNodesIT {
    private static final int RANKS = 2;
    private static final long PATIENCE_SECONDS = 60;

    @TempDir private Path folder;
    private Process launcher;

    @AfterEach
    void end() {
        if (launcher == null) {
            return;
        }
        final List<ProcessHandle> all = new ArrayList<>(launcher.descendants().toList());
        all.add(launcher.toHandle());
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private Path home(final int rank) {
        return folder.resolve("rank" + rank);
    }

    private Path socket(final int rank) {
        return NodeChild.socket(home(rank));
    }

    private String log(final int rank) {
        try {
            return Files.readString(folder.resolve("rank" + rank + ".log"));
        } catch (final IOException e) {
            return e.toString();
        }
    }

    private String logs() {
        return "rank 0:\n" + log(0) + "\nrank 1:\n" + log(1) + "\nlauncher:\n" + launcherLog();
    }

    private String launcherLog() {
        try {
            return Files.readString(folder.resolve("launcher.log"));
        } catch (final IOException e) {
            return e.toString();
        }
    }

    /** Ranks of one host have a socket each, where {@code socketOf} says so. */
    private void start(
            final MpiInstallation library, final String socketOf, final List<String> before)
            throws IOException {
        library.require();
        final Map<String, String> settings =
                Map.of(
                        "spillway.node.transports",
                        "tcp,mpi",
                        "spillway.mpi.compiler",
                        library.compiler());
        final ProcessBuilder node =
                NodeChild.command(folder, settings).builder(List.of(NodeMain.MPI));
        final Path script = folder.resolve("rank");
        Files.writeString(
                script,
                "#!/bin/bash\n"
                        + "rank=${OMPI_COMM_WORLD_RANK-$PMI_RANK}\n"
                        + ("exec \"$@\" -D spillway.node.socket=" + socketOf)
                        + (" >" + folder + "/rank$rank.log 2>&1\n"));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        final List<String> command = new ArrayList<>(before);
        command.addAll(library.launch(RANKS));
        command.add(script.toString());
        command.addAll(node.command());
        final ProcessBuilder builder = new ProcessBuilder(command);
        final Map<String, String> environment = new TreeMap<>(node.environment());
        environment.put("XDG_CACHE_HOME", folder.resolve("cache").toString());
        environment.put("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.put("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        builder.environment().putAll(environment);
        builder.redirectErrorStream(true);
        builder.redirectOutput(folder.resolve("launcher.log").toFile());
        launcher = builder.start();
    }

    private void start(final MpiInstallation library, final List<String> before)
            throws IOException {
        start(library, socket(0).toString().replace("rank0", "rank$rank"), before);
    }

    private String status(final int rank) {
        try {
            return StatusClient.ask(socket(rank));
        } catch (final IOException e) {
            return "";
        }
    }

    /** The world in which all ranks serve, which is another one than {@code former}. */
    private String awaitWorld(final String former) throws InterruptedException {
        TestManager.await(
                "two ranks that serve; logs in " + folder,
                () -> {
                    assertThat(launcher.isAlive()).as(this::logs).isTrue();
                    return !world(0).isEmpty() && !world(0).equals(former) && !world(1).isEmpty();
                });
        return world(0);
    }

    private String world(final int rank) {
        final Pattern address =
                Pattern.compile("\"name\":\"mpi\",\"address\":\"([0-9a-f]{16}):" + rank + "\"");
        final Matcher found = address.matcher(status(rank));
        return found.find() ? found.group(1) : "";
    }

    private ProcessHandle process(final int rank) {
        final Matcher pid = Pattern.compile("\"pid\":(\\d+)").matcher(status(rank));
        assertThat(pid.find()).as(this::logs).isTrue();
        return ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow();
    }

    private int awaitEnd() throws InterruptedException {
        assertThat(launcher.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as(this::logs).isTrue();
        return launcher.exitValue();
    }

    private void assertNothingIsLeft() {
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(log(rank)).contains("The node process stops").doesNotContain("\tat ");
            assertThat(socket(rank)).doesNotExist();
            assertThat(socket(rank).resolveSibling("mpi.sock")).doesNotExist();
        }
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void ranksServeTcpAndMpiAndEndWithCodeZero(final MpiInstallation library) throws Exception {
        start(library, List.of());
        final String world = awaitWorld("");

        assertThat(world(1)).isEqualTo(world);
        assertThat(List.of(status(0), status(1)))
                .allSatisfy(status -> assertThat(status).contains("\"name\":\"tcp\""));
        final List<ProcessHandle> ranks = List.of(process(0), process(1));
        ranks.forEach(ProcessHandle::destroy);
        assertThat(awaitEnd()).as(this::logs).isZero();
        assertNothingIsLeft();
    }

    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void aSecondRankOfAHostEndsTheWorldWithAClearLine(final MpiInstallation library)
            throws Exception {
        start(library, folder.resolve("one/node.sock").toString(), List.of());

        assertThat(awaitEnd()).as(this::logs).isEqualTo(NodeMain.RUNS_ALREADY);
        assertThat(log(0) + log(1))
                .contains("a node process runs already: pid ")
                .contains("--ntasks-per-node=1", "--map-by ppr:1:node", "-N 1");
    }

    /** What the loop of {@code dist} is for: all ranks end with one, and come again. */
    @ParameterizedTest
    @MethodSource(MpiInstallation.ALL)
    void aWorldThatHasDiedComesAgainWithAnotherNumber(final MpiInstallation library)
            throws Exception {
        start(library, List.of(Path.of("../dist/spillway-mpi").toAbsolutePath().toString()));
        final String first = awaitWorld("");
        assertThat(process(1).destroyForcibly()).isTrue();

        final String second = awaitWorld(first);
        assertThat(world(1)).isEqualTo(second);
        launcher.destroy();
        assertThat(awaitEnd()).as(this::logs).isZero();
        TestManager.await("the ranks' end", () -> status(0).isEmpty() && status(1).isEmpty());
        assertNothingIsLeft();
    }
}
