// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.failure.BadInputException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A job of Slurm. One step runs a command on many hosts; it lives on when one of them is lost.
 *
 * @param id of the job
 * @param hosts of the job
 */
record SlurmAllocation(String id, List<String> hosts) implements Allocation {
    /** By this name a step is found again. */
    private static final String STEP = "spillway-hpc";

    SlurmAllocation {
        hosts = List.copyOf(hosts);
    }

    static SlurmAllocation of(final String id, final Map<String, String> environment) {
        final String list = environment.get("SLURM_JOB_NODELIST");
        if (list == null) {
            throw new BadInputException(
                    "SLURM_JOB_ID="
                            + id
                            + " without SLURM_JOB_NODELIST: expected both, as sbatch"
                            + " and salloc set them");
        }
        return new SlurmAllocation(
                id, Programs.lines(List.of("scontrol", "show", "hostnames", list)));
    }

    /** Without the daemons taking part in resources or in MPI: all of a host is theirs. */
    @Override
    public List<List<String>> onEach(final List<String> command) {
        final List<String> words = new ArrayList<>(List.of("srun", "--job-name=" + STEP));
        words.addAll(List.of("--nodes=" + hosts.size(), "--ntasks=" + hosts.size()));
        words.addAll(List.of("--ntasks-per-node=1", "--overlap", "--cpu-bind=none", "--mpi=none"));
        words.addAll(List.of("--no-kill", "--kill-on-bad-exit=0", "--wait=0", "--input=none"));
        words.addAll(command);
        return List.of(words);
    }

    /** SIGTERM to srun itself would be SIGKILL to its tasks. */
    @Override
    public void terminate(final SessionFolder session) {
        steps().forEach(step -> Programs.attempt(List.of("scancel", "--signal=TERM", step)));
    }

    @Override
    public boolean isServing(final SessionFolder session) {
        return !steps().isEmpty();
    }

    private List<String> steps() {
        final List<String> squeue =
                List.of("squeue", "--steps", "--noheader", "--format=%i %j", "--jobs=" + id);
        return Programs.lines(squeue).stream()
                .map(line -> line.trim().split(" +", 2))
                .filter(fields -> fields.length == 2 && fields[1].equals(STEP))
                .map(fields -> fields[0])
                .toList();
    }
}
