// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds the allocation that a command runs in. */
final class Allocations {
    private Allocations() {}

    /**
     * Finds it by its file of hosts, or by the variables of the batch system.
     *
     * @param hosts a file with a host a line, where the user names one
     * @throws BadInputException where there is none
     */
    static Allocation find(final Optional<Path> hosts, final Map<String, String> environment) {
        if (hosts.isPresent()) {
            final String name = hosts.get().getFileName().toString();
            return new SshAllocation(name, hostsOf(hosts.get()));
        }
        final String slurmJob = environment.get("SLURM_JOB_ID");
        if (slurmJob != null) {
            return SlurmAllocation.of(slurmJob, environment);
        }
        final String pbsFile = environment.get("PBS_NODEFILE");
        if (pbsFile != null) {
            final String job = environment.getOrDefault("PBS_JOBID", "pbs");
            return new SshAllocation(job, hostsOf(Path.of(pbsFile)));
        }
        throw new BadInputException(
                "no allocation: expected a job of Slurm (SLURM_JOB_ID) or PBS (PBS_NODEFILE), or"
                        + " --hosts FILE; `spillway hpc script` prints a batch script");
    }

    /** PBS names a host once for each of its cores. */
    private static List<String> hostsOf(final Path file) {
        final List<String> hosts;
        try {
            hosts =
                    Files.readAllLines(file).stream()
                            .map(line -> line.replaceAll("#.*", "").trim())
                            .filter(line -> !line.isEmpty())
                            .distinct()
                            .toList();
        } catch (final IOException e) {
            throw new BadInputException("cannot read the hosts in " + file + ": " + e);
        }
        if (hosts.isEmpty()) {
            throw new BadInputException(file + " names no host: expected one a line");
        }
        return hosts;
    }
}
