// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.mpi.MpiInstallation;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TestSegments;
import io.spillway.transport.mpi.library.MpiRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A world of ranks that serve, of which this process is none: it is a task of their host. */
final class Ranks implements AutoCloseable {
    private static final long START_SECONDS = 120;
    private static final long STOP_SECONDS = 60;

    private final Path folder;
    private final Process launcher;
    private final List<NodeAddress> addresses = new ArrayList<>();
    private final List<ProcessHandle> processes = new ArrayList<>();

    private Ranks(final Path folder, final Process launcher) {
        this.folder = folder;
        this.launcher = launcher;
    }

    static Path folderOf(final Path folder, final int rank) {
        return folder.resolve("rank" + rank);
    }

    static void makeFolder(final Path folder, final int rank) throws IOException {
        Files.createDirectory(
                folderOf(folder, rank),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /** Starts a world, and waits until each rank serves. */
    static Ranks start(
            final MpiInstallation library,
            final List<String> launch,
            final int count,
            final Path folder,
            final Map<String, String> settings)
            throws Exception {
        for (int rank = 0; rank < count; rank++) {
            makeFolder(folder, rank);
        }
        final List<String> options =
                new ArrayList<>(
                        List.of(
                                "-Xmx200m",
                                "-D" + TestWorld.FOLDER + "=" + folder,
                                "-Dspillway.mpi.world=launched",
                                "-Dspillway.mpi.compiler=" + library.compiler()));
        settings.forEach((name, value) -> options.add("-D" + name + "=" + value));
        final Process launcher =
                new MpiRun(folder)
                        .start(
                                MpiRun.java(launch, options, RankMain.class, List.of()),
                                folder.resolve("ranks.log"));
        final Ranks ranks = new Ranks(folder, launcher);
        try {
            for (int rank = 0; rank < count; rank++) {
                ranks.await(rank);
            }
            return ranks;
        } catch (final Exception | Error e) {
            ranks.close();
            throw e;
        }
    }

    private void await(final int rank) throws Exception {
        final Path file = RankMain.addressIn(folderOf(folder, rank));
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!Files.exists(file)) {
            if (!launcher.isAlive() || System.nanoTime() - deadline > 0) {
                throw new IllegalStateException("rank " + rank + " has not come: " + log());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
        final String[] words = Files.readString(file).split(" ", 2);
        processes.add(ProcessHandle.of(Long.parseLong(words[0])).orElseThrow());
        addresses.add(NodeAddress.parse(words[1]));
    }

    String log() throws IOException {
        return Files.readString(folder.resolve("ranks.log"));
    }

    NodeAddress address(final int rank) {
        return addresses.get(rank);
    }

    ProcessHandle process(final int rank) {
        return processes.get(rank);
    }

    Process launcher() {
        return launcher;
    }

    Path socket(final int rank) {
        return folderOf(folder, rank).resolve("mpi.sock");
    }

    /** A task's transport, by a rank. */
    MpiTransport transport(final int rank, final Map<String, String> settings) {
        return new MpiTransport(socket(rank), settings::get, DirectMemory.SYSTEM);
    }

    static JobCredentials credentials() {
        return new JobCredentials(TestSegments.JOB, RankMain.SECRET);
    }

    /** What a rank has open. */
    List<String> openFiles(final int rank) throws IOException {
        final List<String> files = new ArrayList<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process(rank).pid() + "/fd"))) {
            all.forEach(file -> targetOf(file).ifPresent(files::add));
        }
        return files;
    }

    /** Nothing where the file was closed meanwhile. */
    private static Optional<String> targetOf(final Path file) {
        try {
            return Optional.of(Files.readSymbolicLink(file).toString());
        } catch (final IOException e) {
            return Optional.empty();
        }
    }

    /** Ends the world as its launcher would have it, or else by force. */
    @Override
    public void close() throws IOException {
        if (Files.isDirectory(folder) && !Files.exists(RankMain.doneIn(folder))) {
            Files.createFile(RankMain.doneIn(folder));
        }
        processes.stream().filter(ProcessHandle::isAlive).forEach(Ranks::wake);
        if (!hasEnded()) {
            processes.forEach(ProcessHandle::destroyForcibly);
            MpiRun.kill(launcher);
        }
        processes.forEach(ProcessHandle::destroyForcibly);
    }

    private boolean hasEnded() {
        try {
            return launcher.waitFor(STOP_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    /** Sends a signal. */
    static void signal(final ProcessHandle process, final String name) {
        try {
            new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                    .start()
                    .waitFor(10, TimeUnit.SECONDS);
        } catch (final IOException e) {
            throw new IllegalStateException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void wake(final ProcessHandle process) {
        signal(process, "CONT");
    }
}
