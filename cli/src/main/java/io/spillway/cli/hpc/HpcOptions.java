// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import io.spillway.cli.option.JobOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** What a Hadoop in an allocation is made of. */
final class HpcOptions {
    @Option(
            names = "--memory-nodes",
            paramLabel = "K",
            defaultValue = "0",
            description =
                    "Hosts that hold map outputs in their memory and run no tasks: the last ones"
                            + " (default: ${DEFAULT-VALUE}).")
    private int memoryNodes;

    @Option(
            names = "--mpi",
            paramLabel = "TYPE",
            description =
                    "Fetch map outputs over the MPI library on the PATH. TYPE is what srun --mpi"
                            + " takes for it: pmix for Open MPI, pmi2 for MPICH. Needs Slurm.")
    private String mpi;

    @Option(
            names = "--local-dir",
            paramLabel = "DIR[,DIR]",
            description =
                    "Folders on the hosts' own disks, the same on all (default: TMPDIR, else"
                            + " /tmp).")
    private String localDirs = "";

    @Option(
            names = "--network",
            paramLabel = "NET",
            description =
                    "The network of the daemons and the data: an interface, as ib0, or a CIDR, as"
                            + " 10.1.0.0/16 (default: what the hosts' names lead to).")
    private String network = "-";

    @Option(
            names = "--hadoop",
            paramLabel = "DIR",
            description =
                    "An unpacked Hadoop that all hosts see (default: HADOOP_HOME, else Hadoop's"
                            + " jars, which Maven fetches once into the work folder).")
    private Path hadoop;

    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            mapFallbackValue = "",
            description = "A property for all of Hadoop's files; goes before what is generated.")
    private Map<String, String> definitions = new TreeMap<>();

    int memoryNodes() {
        return memoryNodes;
    }

    /** How Slurm starts ranks of the site's MPI; empty without MPI. */
    Optional<String> mpi() {
        return Optional.ofNullable(mpi);
    }

    String localDirs() {
        return localDirs;
    }

    String network() {
        return network;
    }

    Optional<Path> hadoop() {
        return Optional.ofNullable(hadoop).map(Path::toAbsolutePath);
    }

    /** The same options as words, with another Hadoop. */
    List<String> words(final Path runs) {
        final List<String> words = new ArrayList<>(List.of("--hadoop", runs.toString()));
        if (memoryNodes > 0) {
            words.addAll(List.of("--memory-nodes", String.valueOf(memoryNodes)));
        }
        mpi().ifPresent(type -> words.addAll(List.of("--mpi", type)));
        if (!localDirs.isEmpty()) {
            words.addAll(List.of("--local-dir", localDirs));
        }
        if (!network.equals("-")) {
            words.addAll(List.of("--network", network));
        }
        definitions().forEach((name, value) -> words.addAll(List.of("-D", name + "=" + value)));
        return words;
    }

    Map<String, String> definitions() {
        JobOptions.requireKnown(definitions);
        return new TreeMap<>(definitions);
    }
}
