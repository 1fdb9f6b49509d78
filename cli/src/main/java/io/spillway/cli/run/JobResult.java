// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import java.nio.file.Path;
import java.util.List;

/**
 * What became of a program.
 *
 * @param exitCode of the client's JVM
 * @param jobIds of the jobs it submitted, in order
 * @param output what it printed on its standard output
 * @param log all it printed, with the job client's log
 */
public record JobResult(int exitCode, List<String> jobIds, List<String> output, Path log) {
    /** Whether the program ended well. */
    public boolean succeeded() {
        return exitCode == 0;
    }

    /** The id of the last job it submitted. */
    public String lastJobId() {
        if (jobIds.isEmpty()) {
            throw new IllegalStateException("no job was submitted; log: " + log);
        }
        return jobIds.get(jobIds.size() - 1);
    }
}
