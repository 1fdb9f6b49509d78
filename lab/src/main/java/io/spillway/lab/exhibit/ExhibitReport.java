// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import com.fasterxml.jackson.databind.JsonNode;
import freemarker.template.Configuration;
import freemarker.template.TemplateException;
import freemarker.template.TemplateExceptionHandler;
import io.spillway.cli.site.WholeFile;
import io.spillway.lab.compare.Spread;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Writes the pages of the exhibits: an index and one page each. They are static and load nothing
 * from the network. They are made from the result files of the runs, so the command can write them
 * again at any time.
 */
final class ExhibitReport {
    private static final Configuration TEMPLATES = templates();
    private static final String SMALL =
            "Small size: only the points that the paper has numbers for, or the first and the last;"
                    + " few tasks with little data, so that the start of JVMs takes most of the"
                    + " time.";

    private static final String JOBS =
            "The sizes in brackets are those of the input here. CPU is that of a job's tasks, over"
                    + " that of a job that copies the input without a shuffle.";
    private static final String RATIOS =
            "The first system over each system, as the mean of all points: more is better.";

    private final Exhibits exhibits;
    private final Path folder;
    private final ExhibitCell.Extent extent;

    /**
     * Creates the report of a folder.
     *
     * @param folder that has the results in {@code data}
     * @param extent of the runs that are shown
     */
    ExhibitReport(final Exhibits exhibits, final Path folder, final ExhibitCell.Extent extent) {
        this.exhibits = exhibits;
        this.folder = folder;
        this.extent = extent;
    }

    private static Configuration templates() {
        final Configuration configuration = new Configuration(Configuration.VERSION_2_3_34);
        configuration.setClassForTemplateLoading(ExhibitReport.class, "");
        configuration.setDefaultEncoding(StandardCharsets.UTF_8.name());
        configuration.setTemplateExceptionHandler(TemplateExceptionHandler.RETHROW_HANDLER);
        configuration.setLogTemplateExceptions(false);
        configuration.setLocale(Locale.ROOT);
        return configuration;
    }

    /** The folder of the results. */
    Path data() {
        return folder.resolve("data");
    }

    /** Returns the cells of an exhibit, or of the exhibit whose runs it shows. */
    List<ExhibitCell> cells(final Exhibit exhibit) {
        final Exhibit source = exhibits.sourceOf(exhibit);
        return extent.points(source).stream()
                .map(point -> ExhibitCell.of(source, point, extent, data()))
                .toList();
    }

    private ExhibitResults results(final Exhibit exhibit) {
        return new ExhibitResults(exhibit, cells(exhibit));
    }

    /**
     * Draws all plots and writes all pages.
     *
     * @param failures of cells, by exhibit
     * @return the page to begin with
     */
    Path write(final Map<String, List<String>> failures) {
        final List<Map<String, Object>> all = new ArrayList<>();
        for (final Exhibit exhibit : exhibits.exhibits()) {
            final Map<String, Object> page =
                    page(exhibit, failures.getOrDefault(exhibit.id(), List.of()));
            all.add(page);
            render("exhibit.ftlh", exhibit.id() + ".html", page);
        }
        final Path index = folder.resolve("index.html");
        render("index.ftlh", "index.html", Map.of("papers", byPaper(all)));
        return index;
    }

    private List<Map<String, Object>> byPaper(final List<Map<String, Object>> pages) {
        final List<Map<String, Object>> papers = new ArrayList<>();
        for (final Exhibits.Paper paper : exhibits.papers()) {
            papers.add(
                    Map.of(
                            "title", paper.title(),
                            "machines", paper.machines(),
                            "exhibits",
                                    pages.stream()
                                            .filter(page -> page.get("paper").equals(paper.title()))
                                            .toList()));
        }
        return papers;
    }

    private Map<String, Object> page(final Exhibit exhibit, final List<String> failures) {
        final ExhibitResults results = results(exhibit);
        final PaperModel model = new PaperModel(exhibit, exhibits.paperOf(exhibit).scale());
        final Map<String, Object> page = new LinkedHashMap<>();
        page.put("id", exhibit.id());
        page.put("paper", exhibits.paperOf(exhibit).title());
        page.put("machines", exhibits.paperOf(exhibit).machines());
        page.put("figure", exhibit.origin().figure());
        page.put("title", exhibit.origin().title());
        page.put("differs", differs(exhibit, results));
        page.put("failures", failures);
        page.put(
                "plots",
                plots(exhibit, results).stream()
                        .map(file -> file.getFileName().toString())
                        .toList());
        page.put(
                "claims",
                exhibit.claims().stream()
                        .map(claim -> PaperRow.of(exhibit, results, model, claim))
                        .toList());
        page.put("heads", exhibit.chart().series().stream().map(ExhibitReport::head).toList());
        page.put("rows", isRadar(exhibit) ? radar(exhibit).rows() : rows(exhibit, results));
        page.put("rowsAre", isRadar(exhibit) ? RATIOS : JOBS);
        page.put("agree", results.outputsAgree());
        page.put("measured", !((List<?>) page.get("plots")).isEmpty());
        page.put("command", "spillway exhibit " + exhibits.sourceOf(exhibit).id() + arguments());
        page.put("runs", runs(exhibit, results));
        page.put("model", new ModelTable(exhibit, model).write(folder));
        return page;
    }

    private String arguments() {
        return " --size " + extent.size() + " --repeat " + extent.repeats();
    }

    /** Returns what differs from the paper: in the list of exhibits, and in these runs. */
    private List<String> differs(final Exhibit exhibit, final ExhibitResults results) {
        final List<String> all = new ArrayList<>();
        all.add(exhibit.origin().differs());
        all.add(exhibits.paperOf(exhibit).differs());
        if (extent.isSmall()) {
            all.add(SMALL);
        }
        if (extent.repeats() == 1) {
            all.add("One run of each system: differences may be chance.");
        }
        all.addAll(results.conditions());
        return all.stream().filter(text -> !text.isEmpty()).toList();
    }

    private List<Path> plots(final Exhibit exhibit, final ExhibitResults results) {
        return isRadar(exhibit)
                ? radar(exhibit).write(folder)
                : new ExhibitPlot(exhibit, results).write(folder);
    }

    private static boolean isRadar(final Exhibit exhibit) {
        return exhibit.chart().kind() == Exhibit.Kind.RADAR;
    }

    private RadarPlot radar(final Exhibit exhibit) {
        return new RadarPlot(exhibit, id -> results(exhibits.named(id)));
    }

    private static String head(final Exhibit.Series series) {
        return series.name() + " (" + series.engine() + ")";
    }

    /** Returns the figures of jobs, by measured point. */
    private static List<Map<String, Object>> rows(
            final Exhibit exhibit, final ExhibitResults results) {
        final List<Map<String, Object>> rows = new ArrayList<>();
        for (final Exhibit.Point point : results.measuredPoints()) {
            final List<String> cells = new ArrayList<>();
            for (final Exhibit.Series series : exhibit.chart().series()) {
                cells.add(cell(results, point, series));
            }
            rows.add(Map.of("point", results.label(point), "cells", cells));
        }
        return rows;
    }

    /** Returns the time of a job, what is drawn of it, and its CPU. */
    private static String cell(
            final ExhibitResults results, final Exhibit.Point point, final Exhibit.Series series) {
        final List<String> figures = new ArrayList<>();
        for (final ExhibitMeasure measure : measures(results.exhibit())) {
            results.value(point, series, measure)
                    .ifPresent(value -> figures.add(figure(measure, value)));
        }
        return figures.isEmpty() ? "–" : String.join("; ", figures);
    }

    private static Set<ExhibitMeasure> measures(final Exhibit exhibit) {
        final Set<ExhibitMeasure> all = new LinkedHashSet<>();
        all.add(ExhibitMeasure.JOB_TIME);
        all.addAll(exhibit.chart().kind().measures());
        all.add(ExhibitMeasure.CPU_OVER_COPY);
        return all;
    }

    private static String figure(final ExhibitMeasure measure, final Spread value) {
        final String range =
                value.min() < value.max()
                        ? String.format(Locale.ROOT, " (%.1f to %.1f)", value.min(), value.max())
                        : "";
        return (measure.words()
                        + String.format(Locale.ROOT, " %.1f%s ", value.median(), range)
                        + measure.unit())
                .trim();
    }

    /** Returns files, plan, machine and build of the runs, by point. */
    private List<Map<String, Object>> runs(final Exhibit exhibit, final ExhibitResults results) {
        final List<Map<String, Object>> all = new ArrayList<>();
        for (final ExhibitCell cell : cells(exhibit)) {
            final JsonNode tree = results.at(cell.point());
            if (!tree.isMissingNode()) {
                all.add(
                        Map.of(
                                "file", folder.relativize(cell.file()).toString(),
                                "point", cell.point().label(),
                                "plan", facts(tree.path("plan")),
                                "machine", facts(tree.path("machine")),
                                "site", facts(tree.path("site"))));
            }
        }
        return all;
    }

    private static Map<String, String> facts(final JsonNode tree) {
        final Map<String, String> facts = new LinkedHashMap<>();
        tree.fields()
                .forEachRemaining(
                        field ->
                                facts.put(
                                        field.getKey(),
                                        field.getValue().isValueNode()
                                                ? field.getValue().asText()
                                                : field.getValue().toString()));
        return facts;
    }

    private void render(final String template, final String name, final Map<String, Object> model) {
        final StringWriter text = new StringWriter();
        try {
            TEMPLATES.getTemplate(template).process(model, text);
        } catch (final TemplateException | IOException e) {
            throw new IllegalStateException("template " + template, e);
        }
        WholeFile.write(folder.resolve(name), text.toString());
    }
}
