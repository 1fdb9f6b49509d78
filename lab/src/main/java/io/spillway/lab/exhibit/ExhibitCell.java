// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.CommandException;
import io.spillway.lab.cluster.ClusterMemoryNodes;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.SharedDirectory;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.workload.Workloads;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.hosts.HostLink;
import io.spillway.lab.place.ServedTransport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * One point of an exhibit: a comparison at one size.
 *
 * @param exhibit that has the point
 * @param point along its axis
 * @param extent sizes and repeats of the runs
 * @param file of its result, as JSON
 */
record ExhibitCell(Exhibit exhibit, Exhibit.Point point, Extent extent, Path file) {
    private static final int MAPS = 8;
    private static final int REDUCES = 4;
    private static final long LEAST_BYTES = 1L << 20;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * Sizes and repeats of the runs.
     *
     * @param mostBytes of the largest point of each exhibit
     * @param repeats of each engine
     */
    record Extent(long mostBytes, int repeats) {}

    /** Creates the cell of an exhibit's point, with its result below a folder. */
    static ExhibitCell of(
            final Exhibit exhibit,
            final Exhibit.Point point,
            final Extent extent,
            final Path folder) {
        return new ExhibitCell(
                exhibit,
                point,
                extent,
                folder.resolve(exhibit.id()).resolve(slug(point.label()) + ".json"));
    }

    /** Converts a text to a part of a file name. */
    static String slug(final String text) {
        return text.replaceAll("[^A-Za-z0-9.]+", "-").replaceAll("^-|-$", "");
    }

    Exhibit.Setup setup() {
        return exhibit.setup().with(point.setup());
    }

    Exhibit.Cluster cluster() {
        return setup().cluster() == null ? Exhibit.Cluster.PLAIN : setup().cluster();
    }

    /**
     * Returns the plan of the comparison.
     *
     * @throws io.spillway.cli.failure.BadInputException where this build does not have the workload
     */
    Comparison.Plan plan() {
        final Exhibit.Setup setup = setup();
        final double share = point.gigabytes() / exhibit.chart().mostGigabytes();
        return new Comparison.Plan(
                Workloads.named(setup.workload()),
                Math.max(LEAST_BYTES, Math.round(share * extent.mostBytes())),
                engines(),
                extent.repeats(),
                false,
                setup.maps() == 0 ? MAPS : setup.maps(),
                setup.reduces() == 0 ? REDUCES : setup.reduces(),
                setup.properties());
    }

    private List<EngineConfig> engines() {
        return exhibit.chart().series().stream().map(Exhibit.Series::config).toList();
    }

    /** Returns the options of a local cluster that can run it. */
    ClusterSpec on(final ClusterSpec base) {
        final Exhibit.Cluster need = cluster();
        ClusterSpec spec = base;
        if (need.hosts() > 0) {
            spec =
                    spec.withEmulatedHosts(
                            need.hosts(),
                            need.link() == null ? HostLink.NONE : HostLink.parse(need.link()));
        }
        if (need.memoryNodes() > 0) {
            spec =
                    spec.withMemory(
                            new ClusterMemoryNodes(
                                    need.memoryNodes(), ClusterMemoryNodes.DEFAULT_BYTES));
        }
        if (need.sharedFs()) {
            spec = spec.withSharedDirectory(SharedDirectory.DISTRIBUTED.withLocalDirs());
        }
        for (final EngineConfig engine : engines()) {
            spec = ServedTransport.of(engine.transport(), spec);
        }
        return spec;
    }

    /** The folder of the samples of its jobs. */
    Path profiles() {
        return file.resolveSibling(slug(point.label()));
    }

    /** Whether all its runs have been measured with the same plan. */
    boolean isMeasured() {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try {
            final JsonNode tree = MAPPER.readTree(file.toFile());
            // Compares texts, because a number from a file may have another type than one in
            // memory.
            return tree.path("isComplete").asBoolean()
                    && tree.path("plan")
                            .toString()
                            .equals(MAPPER.writeValueAsString(plan().facts()));
        } catch (final IOException e) {
            throw new CommandException("cannot read " + file + ": " + e, e);
        }
    }
}
