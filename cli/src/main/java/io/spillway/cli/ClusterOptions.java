package io.spillway.cli;

import io.spillway.bench.cluster.ClusterSpec;
import io.spillway.bench.cluster.ClusterSpec.FileSystemKind;
import io.spillway.bench.site.HadoopRuntime;
import java.util.Optional;
import picocli.CommandLine.Option;

/** What a cluster should be, where a command starts one. */
final class ClusterOptions {
    @Option(
            names = "--hadoop",
            paramLabel = "VERSION",
            description = "Hadoop release (default: " + HadoopRuntime.DEFAULT_VERSION + ").")
    private String hadoop;

    @Option(
            names = "--fs",
            paramLabel = "KIND",
            description =
                    "Where data lies: local, a folder that all nodes share as a parallel file"
                            + " system is; or hdfs (default: local).")
    private FileSystemKind fileSystem;

    @Option(
            names = "--nodes",
            paramLabel = "N",
            description = "Number of NodeManagers (default: 2).")
    private Integer nodes;

    @Option(
            names = "--slots",
            paramLabel = "N",
            description = "Tasks at a time in the whole cluster (default: two a core).")
    private Integer slots;

    @Option(
            names = "--heap",
            paramLabel = "MIB",
            description =
                    "Heap of a task in MiB; its container gets half as much again (default: 1024).")
    private Integer heap;

    /** The release that was asked for. */
    Optional<String> hadoopVersion() {
        return Optional.ofNullable(hadoop);
    }

    /** Whether anything was asked for. */
    boolean isAnyGiven() {
        return hadoop != null
                || fileSystem != null
                || nodes != null
                || slots != null
                || heap != null;
    }

    ClusterSpec apply(final ClusterSpec base) {
        ClusterSpec spec = base;
        if (hadoop != null) {
            spec = spec.withHadoopVersion(hadoop);
        }
        if (fileSystem != null) {
            spec = spec.withFileSystem(fileSystem);
        }
        if (nodes != null) {
            spec = spec.withNodes(nodes);
        }
        if (slots != null) {
            spec = spec.withSlots(slots);
        }
        if (heap != null) {
            spec = spec.withHeapMb(heap);
        }
        return spec;
    }
}
