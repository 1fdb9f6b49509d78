// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.spillway.lab.compare.Spread;
import io.spillway.lab.profile.JobProfiler;
import io.spillway.lab.profile.MachineSample;
import io.spillway.lab.profile.ProfiledJobs;
import io.spillway.lab.report.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** The results of an exhibit's points, from the files of its runs. */
final class ExhibitResults {
    private static final double KILO = 1e3;
    private static final double MEGA = 1e6;

    private final Exhibit exhibit;
    private final Map<String, JsonNode> points = new TreeMap<>();
    private final Map<String, Path> profiles = new TreeMap<>();

    /** Reads the results of an exhibit's cells; cells without results have no values. */
    ExhibitResults(final Exhibit exhibit, final List<ExhibitCell> cells) {
        this.exhibit = exhibit;
        for (final ExhibitCell cell : cells) {
            profiles.put(cell.point().label(), cell.profiles());
            points.put(cell.point().label(), cell.result());
        }
    }

    /** Returns the result of a point, as {@code compare} writes it; empty without a result. */
    JsonNode at(final Exhibit.Point point) {
        return points.getOrDefault(point.label(), MissingNode.getInstance());
    }

    /** Returns the points that have a result, in their order. */
    List<Exhibit.Point> measuredPoints() {
        return exhibit.chart().points().stream()
                .filter(point -> !at(point).isMissingNode())
                .toList();
    }

    Exhibit exhibit() {
        return exhibit;
    }

    /** Returns sentences about what was emulated in the runs, and on which machine. */
    List<String> conditions() {
        final Set<String> all = new LinkedHashSet<>();
        for (final Exhibit.Point point : measuredPoints()) {
            final JsonNode tree = at(point);
            final JsonNode machine = tree.path("machine");
            all.add(
                    "The machine of these runs: "
                            + machine.path("cores").asText()
                            + " cores ("
                            + machine.path("cpu").asText()
                            + "), "
                            + Math.round(machine.path("memoryMb").asLong() / KILO)
                            + " GB of memory, Hadoop "
                            + machine.path("hadoop").asText()
                            + ".");
            final String emulation = machine.path("emulation").asText();
            if (!emulation.equals(Machine.NO_EMULATION)) {
                all.add("Emulated: " + emulation + ".");
            }
            tree.path("emulatedNvm")
                    .forEach(engine -> all.add("Emulated: the NVM of " + engine.asText() + "."));
            tree.path("emulatedDisks")
                    .fields()
                    .forEachRemaining(
                            disk ->
                                    all.add(
                                            "Emulated: the disk of "
                                                    + disk.getKey()
                                                    + String.format(
                                                            Locale.ROOT,
                                                            ", %.0f MB/s for all hosts together.",
                                                            disk.getValue().asLong() / MEGA)));
        }
        return List.copyOf(all);
    }

    /** Whether no point has a result. */
    boolean isEmpty() {
        return measuredPoints().isEmpty();
    }

    /** Returns the paper's label of a measured point, with the size of the input in the runs. */
    String label(final Exhibit.Point point) {
        return String.format(
                Locale.ROOT,
                "%s (%.0f MB)",
                point.label(),
                at(point).path("plan").path("bytes").asLong() / MEGA);
    }

    /** Whether the outputs of all engines were the same at all measured points. */
    boolean outputsAgree() {
        return points.values().stream()
                .filter(tree -> !tree.isMissingNode())
                .allMatch(tree -> tree.path("outputsAgree").asBoolean());
    }

    /** Returns a measure's median and spread; those of samples are of the first run. */
    Optional<Spread> value(
            final Exhibit.Point point, final Exhibit.Series series, final ExhibitMeasure measure) {
        if (measure == ExhibitMeasure.COLLECT) {
            return collect(point, series);
        }
        if (measure.isOfSamples()) {
            final List<MachineSample> samples = samples(point, series);
            return samples.isEmpty()
                    ? Optional.empty()
                    : Optional.of(Spread.of(List.of(measure.of(samples))));
        }
        return median(point, series, measure.key());
    }

    private Optional<Spread> collect(final Exhibit.Point point, final Exhibit.Series series) {
        final Optional<Spread> all = value(point, series, ExhibitMeasure.MAP);
        final Optional<Spread> spill = value(point, series, ExhibitMeasure.SPILL_AND_MERGE);
        return all.isEmpty() || spill.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        Spread.of(List.of(Math.max(0, all.get().median() - spill.get().median()))));
    }

    private Optional<Spread> median(
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
        if (at(point).isMissingNode()) {
            return List.of();
        }
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
