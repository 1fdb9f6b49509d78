// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.conf.Sizes;
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
import java.util.Locale;

/**
 * One point of an exhibit: a comparison at one size.
 *
 * @param exhibit that has the point
 * @param point along its axis
 * @param extent sizes and repeats of the runs
 * @param file of its result, as JSON
 */
record ExhibitCell(Exhibit exhibit, Exhibit.Point point, Extent extent, Path file) {
    private static final long LEAST_BYTES = 1L << 20;
    private static final ObjectMapper MAPPER = new ObjectMapper();

    /**
     * Sizes and repeats of the runs.
     *
     * @param mostBytes of the largest point of each exhibit
     * @param repeats of each engine
     * @param isSmall whether only the {@linkplain Exhibit#mainPoints() main points} are measured,
     *     by jobs with few tasks
     */
    record Extent(long mostBytes, int repeats, boolean isSmall) {
        private static final long SMALL = 128L << 20;
        private static final long MEDIUM = 1L << 30;

        /**
         * Reads the size.
         *
         * @throws BadInputException when it is none
         */
        static Extent of(final String size, final int repeats) {
            return switch (size.toLowerCase(Locale.ROOT)) {
                case "small" -> new Extent(SMALL, repeats, true);
                case "medium" -> new Extent(MEDIUM, repeats, false);
                default -> new Extent(bytes(size), repeats, false);
            };
        }

        private static long bytes(final String size) {
            try {
                return Sizes.parse(size);
            } catch (final IllegalArgumentException e) {
                throw new BadInputException(
                        "--size " + size + ": expected small, medium or a size, as 512m");
            }
        }

        /** Returns the size as the command line takes it. */
        String size() {
            return isSmall ? "small" : Sizes.format(mostBytes);
        }

        List<Exhibit.Point> points(final Exhibit exhibit) {
            return isSmall ? exhibit.mainPoints() : exhibit.chart().measured();
        }

        /** Each host has a map at least. */
        int maps(final int hosts) {
            return Math.max(isSmall ? 4 : 8, hosts);
        }

        int reduces() {
            return isSmall ? 2 : 4;
        }
    }

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
     * @throws BadInputException where this build does not have the workload
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
                setup.maps() == 0 ? extent.maps(cluster().hosts()) : setup.maps(),
                setup.reduces() == 0 ? extent.reduces() : setup.reduces(),
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

    /** Whether all its runs have been measured. */
    boolean isMeasured() {
        return result().path("isComplete").asBoolean();
    }

    /**
     * Returns its result, as {@code compare} writes it. It is missing where nothing was measured
     * with this plan: results of several sizes do not get into one figure.
     */
    JsonNode result() {
        if (!Files.isRegularFile(file)) {
            return MissingNode.getInstance();
        }
        try {
            final JsonNode tree = MAPPER.readTree(file.toFile());
            // Compares texts, because a number from a file may have another type than one in
            // memory.
            return tree.path("plan").toString().equals(MAPPER.writeValueAsString(plan().facts()))
                    ? tree
                    : MissingNode.getInstance();
        } catch (final IOException e) {
            throw new CommandException("cannot read " + file + ": " + e, e);
        }
    }
}
