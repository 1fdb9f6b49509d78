// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.transport.mpi.library.MpiRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Slurm cluster of four hosts on this machine, each with a network of its own. */
final class SlurmCluster {
    static final int HOSTS = 4;

    private static final Path SCRIPT =
            Path.of("src", "test", "resources", "slurm-hosts.sh").toAbsolutePath();
    private static final List<String> PROGRAMS =
            List.of("/usr/sbin/slurmctld", "/usr/sbin/slurmd", "/usr/sbin/munged", "/usr/bin/srun");

    private final MpiRun processes;
    private final Path folder;

    private SlurmCluster(final MpiRun processes, final Path folder) {
        this.processes = processes;
        this.folder = folder;
    }

    /** Skips the test, with the reason, where there can be none. */
    static void require() throws IOException {
        for (final String program : PROGRAMS) {
            assumeTrue(
                    Files.isExecutable(Path.of(program)),
                    () -> "needs " + program + " (Debian: slurmctld, slurmd, slurm-client, munge)");
        }
        assumeTrue(
                Files.getOwner(Path.of("/proc/self")).getName().equals("root"),
                "needs root, for hosts with networks of their own");
    }

    static SlurmCluster start(final MpiRun processes, final Path folder) throws Exception {
        final SlurmCluster cluster = new SlurmCluster(processes, folder);
        processes.command(cluster.script("up", List.of()));
        return cluster;
    }

    /** The start of a command that runs one rank on each host. */
    List<String> srun(final String mpi) {
        return script(
                "in",
                List.of("srun", "--mpi=" + mpi, "-N" + HOSTS, "-n" + HOSTS, "--ntasks-per-node=1"));
    }

    private List<String> script(final String command, final List<String> more) {
        final List<String> words =
                new ArrayList<>(List.of("bash", SCRIPT.toString(), command, folder.toString()));
        words.addAll(more);
        return words;
    }

    /** Ends all of its processes. */
    void end() throws Exception {
        processes.command(script("down", List.of()));
    }
}
