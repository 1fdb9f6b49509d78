// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.spillway.cli.failure.CommandException;
import io.spillway.lab.compare.Spread;
import io.spillway.lab.profile.JobProfiler;
import io.spillway.lab.profile.MachineSample;
import io.spillway.lab.profile.ProfiledJobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The results of an exhibit's points, from the files of its runs. */
final class ExhibitResults {
    private static final ObjectMapper MAPPER = new ObjectMapper();

    private final Map<String, JsonNode> points = new TreeMap<>();
    private final Map<String, Path> profiles = new TreeMap<>();

    /** Reads the results of an exhibit's cells; cells without results have no values. */
    ExhibitResults(final List<ExhibitCell> cells) {
        for (final ExhibitCell cell : cells) {
            profiles.put(cell.point().label(), cell.profiles());
            points.put(cell.point().label(), read(cell.file()));
        }
    }

    private static JsonNode read(final Path file) {
        if (!Files.isRegularFile(file)) {
            return MissingNode.getInstance();
        }
        try {
            return MAPPER.readTree(file.toFile());
        } catch (final IOException e) {
            throw new CommandException("cannot read " + file + ": " + e, e);
        }
    }

    /** Returns the result of a point, as {@code compare} writes it; empty without a result. */
    JsonNode at(final Exhibit.Point point) {
        return points.getOrDefault(point.label(), MissingNode.getInstance());
    }

    /** Whether any point has a result. */
    boolean isEmpty() {
        return points.values().stream().allMatch(JsonNode::isMissingNode);
    }

    /** Whether the outputs of all engines were the same at all measured points. */
    boolean outputsAgree() {
        return points.values().stream()
                .filter(tree -> !tree.isMissingNode())
                .allMatch(tree -> tree.path("outputsAgree").asBoolean());
    }

    /** Returns a measure's median and spread, by a key of the medians. */
    Optional<Spread> value(
            final Exhibit.Point point, final Exhibit.Series series, final String key) {
        final JsonNode node = at(point).path("medians").path(series.config().label()).path(key);
        return node.isMissingNode()
                ? Optional.empty()
                : Optional.of(
                        new Spread(
                                node.path("median").asDouble(),
                                node.path("min").asDouble(),
                                node.path("max").asDouble()));
    }

    /** The runs of a series at a point, in the order they were made. */
    List<JsonNode> runs(final Exhibit.Point point, final Exhibit.Series series) {
        final List<JsonNode> own = new ArrayList<>();
        for (final JsonNode run : at(point).path("runs")) {
            if (run.path("engine").asText().equals(series.config().label())) {
                own.add(run);
            }
        }
        return own;
    }

    /** The samples of a series' first run. */
    List<MachineSample> samples(final Exhibit.Point point, final Exhibit.Series series) {
        final JsonNode plan = at(point).path("plan");
        final String label =
                plan.path("workload").asText()
                        + " "
                        + series.config().label()
                        + " 1/"
                        + plan.path("repeats").asInt();
        final Path file = ProfiledJobs.file(profiles.get(point.label()), label);
        return Files.isRegularFile(file) ? JobProfiler.read(file) : List.of();
    }
}
