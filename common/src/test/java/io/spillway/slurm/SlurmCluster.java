// SPDX-License-Identifier: Apache-2.0
package io.spillway.slurm;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * A Slurm cluster of four hosts on this machine, each with a network namespace of its own. They
 * share the file system and the process ids.
 */
public final class SlurmCluster implements AutoCloseable {
    /** The number of hosts: {@code host1} to {@code host4}. */
    public static final int HOSTS = 4;

    private static final long PATIENCE_SECONDS = 120;
    private static final String SCRIPT = "slurm-hosts.sh";
    private static final List<String> PROGRAMS =
            List.of("/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/bin/srun");

    private final Path folder;

    private SlurmCluster(final Path folder) {
        this.folder = folder;
    }

    /** Skips the test, with the reason, where a cluster cannot start. */
    public static void require() throws IOException {
        for (final String program : PROGRAMS) {
            assumeTrue(
                    Files.isExecutable(Path.of(program)),
                    () -> "needs " + program + " (Debian: slurmctld, slurmd, slurm-client, munge)");
        }
        assumeTrue(
                Files.getOwner(Path.of("/proc/self")).getName().equals("root"),
                "needs root, for hosts with networks of their own");
    }

    /**
     * Starts one, and waits until all hosts are idle.
     *
     * @param folder for its files, which is made
     */
    public static SlurmCluster start(final Path folder) throws IOException {
        return start(folder, List.of());
    }

    /** Starts one whose hosts have a {@code /dev/shm} and a {@code /var/tmp} of their own. */
    public static SlurmCluster startWithDisks(final Path folder) throws IOException {
        return start(folder, List.of("disks"));
    }

    private static SlurmCluster start(final Path folder, final List<String> options)
            throws IOException {
        Files.createDirectories(folder);
        try (InputStream script = SlurmCluster.class.getResourceAsStream(SCRIPT)) {
            Files.copy(Objects.requireNonNull(script, SCRIPT), folder.resolve(SCRIPT));
        }
        final SlurmCluster cluster = new SlurmCluster(folder);
        cluster.run(cluster.script("up", options));
        return cluster;
    }

    /** The start of a command that runs one rank on each host. */
    public List<String> srun(final String mpi) {
        return within(
                List.of("srun", "--mpi=" + mpi, "-N" + HOSTS, "-n" + HOSTS, "--ntasks-per-node=1"));
    }

    /** Returns a command on the controller, where srun and sbatch find it. */
    public List<String> within(final List<String> command) {
        return script("in", command);
    }

    /** Returns a command on a host. */
    public List<String> on(final String host, final List<String> command) {
        final List<String> words = new ArrayList<>(List.of(host));
        words.addAll(command);
        return script("on", words);
    }

    /** Ends a host with all of its processes, as a loss of power does. */
    public void lose(final String host) throws IOException {
        run(script("lose", List.of(host)));
    }

    private List<String> script(final String command, final List<String> more) {
        final List<String> words =
                new ArrayList<>(
                        List.of(
                                "bash",
                                folder.resolve(SCRIPT).toString(),
                                command,
                                folder.toString()));
        words.addAll(more);
        return words;
    }

    private void run(final List<String> command) throws IOException {
        final Path log = Files.createTempFile(folder, "run-", ".log");
        final Process process =
                new ProcessBuilder(command)
                        .redirectErrorStream(true)
                        .redirectOutput(log.toFile())
                        .start();
        if (!hasEndedWell(process)) {
            process.destroyForcibly();
            throw new AssertionError(command + ": " + Files.readString(log));
        }
    }

    private static boolean hasEndedWell(final Process process) {
        try {
            return process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }

    /** Ends all of its processes. */
    @Override
    public void close() throws IOException {
        run(script("down", List.of()));
    }
}
