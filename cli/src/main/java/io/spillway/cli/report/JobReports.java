// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.ReduceReport;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The shuffle reports of finished jobs, one JSON file a job. Immutable and thread-safe. */
public final class JobReports {
    private static final ObjectMapper MAPPER =
            new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

    private final Path folder;

    /** The reports of a work folder. */
    public JobReports(final WorkFolder work) {
        this.folder = work.reports();
    }

    /** Writes a job's report, and tells where. */
    public Path save(final JobFigures figures) {
        final Path file = file(figures.jobId());
        try {
            Files.createDirectories(folder);
            Files.writeString(file, render(figures));
            return file;
        } catch (final IOException e) {
            throw new CommandException("cannot write " + file + ": " + e, e);
        }
    }

    /** A report that was saved. */
    public Optional<String> find(final String jobId) {
        if (!jobId.matches("job_\\w+")) {
            throw new BadInputException("job id '" + jobId + "': expected job_<time>_<number>");
        }
        if (!Files.isRegularFile(file(jobId))) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readString(file(jobId)));
        } catch (final IOException e) {
            throw new CommandException("cannot read " + file(jobId) + ": " + e, e);
        }
    }

    private Path file(final String jobId) {
        return folder.resolve(jobId + ".json");
    }

    /** A job's report as JSON. */
    public static String render(final JobFigures figures) {
        try {
            return MAPPER.writeValueAsString(describe(figures)) + "\n";
        } catch (final JsonProcessingException e) {
            throw new CommandException("cannot render " + figures.jobId(), e);
        }
    }

    /** A job's report as a tree of maps. */
    public static Map<String, Object> describe(final JobFigures figures) {
        final Map<String, Object> report = new LinkedHashMap<>();
        report.put("job", figures.jobId());
        report.put("name", figures.name());
        report.put("state", figures.state());
        report.put("maps", figures.maps());
        report.put("reduces", figures.reduces());
        report.put("wallMillis", figures.wallMillis());
        report.put("cpuMapMillis", figures.cpuMillis().map());
        report.put("cpuReduceMillis", figures.cpuMillis().reduce());
        putKnown(report, "cpuNodeManagersMillis", figures.services().nodeManagerMillis());
        putKnown(report, "cpuNodeProcessesMillis", figures.services().nodeProcessMillis());
        report.put("stageMillis", figures.stages());
        figures.mapStages().ifPresent(stages -> report.put("mapLogMillis", stages));
        final Map<String, Object> ways = Ways.describe(figures.reduceReports());
        if (!ways.isEmpty()) {
            report.put("ways", ways);
        }
        report.put("reducers", figures.reduceReports().stream().map(ReduceReport::values).toList());
        report.put("spillway", spillway(figures));
        report.put("counters", totals(figures));
        return report;
    }

    private static void putKnown(
            final Map<String, Object> report, final String key, final double value) {
        if (!Double.isNaN(value)) {
            report.put(key, value);
        }
    }

    /** Spillway's own figures; empty for a job of the stock engine. */
    private static Map<String, Long> spillway(final JobFigures figures) {
        final Map<String, Long> values = new TreeMap<>();
        figures.counters()
                .getOrDefault(JobFigures.FIGURES, Map.of())
                .forEach((name, value) -> values.put(name, value.total()));
        return values;
    }

    private static Map<String, Map<String, Long>> totals(final JobFigures figures) {
        final Map<String, Map<String, Long>> groups = new TreeMap<>();
        figures.counters()
                .forEach(
                        (group, counters) -> {
                            final Map<String, Long> values = new TreeMap<>();
                            counters.forEach((name, value) -> values.put(name, value.total()));
                            groups.put(group, values);
                        });
        return groups;
    }
}
