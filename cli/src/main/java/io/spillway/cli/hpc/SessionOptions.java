// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Option;

/** Which Hadoop of which allocation is meant. */
final class SessionOptions {
    @Option(
            names = "--shared-dir",
            paramLabel = "DIR",
            description =
                    "A folder that all hosts see; spillway-hpc-JOBID in it has all that is kept"
                            + " (default: the working directory).")
    private Path shared = Path.of("");

    @Option(
            names = "--hosts",
            paramLabel = "FILE",
            description =
                    "Hosts that ssh reaches without a password, one a line, instead of those of"
                            + " the batch system.")
    private Path hosts;

    Allocation allocation() {
        return Allocations.find(Optional.ofNullable(hosts), System.getenv());
    }

    SessionFolder session(final Allocation allocation) {
        return SessionFolder.of(shared, allocation.id());
    }
}
