// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.option.ShellWord;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;

/** A batch script of Slurm that starts a Hadoop, runs jobs on it, and ends it. */
final class BatchScript {
    /** Sorts 1 GB, and checks it. */
    private static final String EXAMPLE =
            """
            spillway run teragen 10000000 "$PWD/tera-in"
            spillway run terasort -Dmapreduce.job.reduces=8 "$PWD/tera-in" "$PWD/tera-out"
            spillway run teravalidate "$PWD/tera-out" "$PWD/tera-report"
            """;

    private BatchScript() {}

    /**
     * Its text.
     *
     * @param sbatch options for lines of their own
     * @param jobs lines of a shell; the example where there are none
     * @param spillway the command
     * @param options of {@code hpc run}
     */
    static String of(
            final int nodes,
            final String time,
            final List<String> sbatch,
            final List<String> jobs,
            final Path spillway,
            final List<String> options) {
        return String.format(
                """
#!/bin/bash
# A Hadoop with Spillway that lives as long as this job of Slurm. Made by `spillway hpc script`, to be
# edited. Its logs and reports go to spillway-hpc-JOBID in the folder where sbatch is called, which all
# hosts have to see.
#SBATCH --job-name=spillway
#SBATCH --nodes=%d
#SBATCH --ntasks-per-node=1
#SBATCH --time=%s
# All of each host; without these two lines, what the site gives by default.
#SBATCH --exclusive
#SBATCH --mem=0
# A host that is lost does not end the job, and the job does not begin again by itself.
#SBATCH --no-kill
#SBATCH --no-requeue
# A minute before the time is over: enough to save the reports and clean up the hosts.
#SBATCH --signal=B:TERM@60
%sset -euo pipefail

# What runs on the Hadoop. HADOOP_HOME, HADOOP_CONF_DIR and PATH are set: `hadoop jar` works as well.
# Paths are of the file system that the hosts share; a relative one is looked for where each task runs.
jobs=$(cat <<'JOBS'
%sJOBS
)

# It becomes this process, so that signals of Slurm reach it.
exec %s hpc run %s -- bash -euo pipefail -c "$jobs"
""",
                nodes,
                time,
                lines(sbatch.stream().map(option -> "#SBATCH " + option).toList()),
                jobs.isEmpty() ? EXAMPLE : lines(jobs),
                ShellWord.quoted(spillway.toString()),
                ShellWord.line(options));
    }

    private static String lines(final List<String> lines) {
        return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
    }
}
