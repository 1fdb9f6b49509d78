package io.spillway.bench.cluster;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.bench.BenchException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Optional;

/**
 * What is written down of a cluster, so that later commands find it, and stop it after a crash.
 *
 * @param id the mark of its processes
 * @param spec what was asked for
 * @param size how big its nodes are
 * @param ports where it listens
 * @param plugInJar Spillway's jar, as it was when the cluster was started
 * @param benchJar the workloads' jar
 */
record ClusterState(
        String id,
        ClusterSpec spec,
        ClusterSize size,
        ClusterPorts ports,
        String plugInJar,
        String benchJar) {
    private static final String FILE = "cluster.json";

    void write(final Path folder) throws IOException {
        final Path partial = folder.resolve(FILE + ".partial");
        Files.createDirectories(folder);
        new ObjectMapper().writerWithDefaultPrettyPrinter().writeValue(partial.toFile(), this);
        Files.move(
                partial,
                folder.resolve(FILE),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
    }

    static Optional<ClusterState> read(final Path folder) {
        final Path file = folder.resolve(FILE);
        if (!Files.isRegularFile(file)) {
            return Optional.empty();
        }
        try {
            final ObjectMapper mapper =
                    new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
            return Optional.of(mapper.readValue(file.toFile(), ClusterState.class));
        } catch (final IOException e) {
            throw new BenchException("cannot read " + file + ": " + e.getMessage(), e);
        }
    }
}
