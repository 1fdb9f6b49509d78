// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The shuffle report of one reduce attempt as its log tells it, with every key that is there,
 * whatever version wrote it. Only attempts that came to their end have one. Immutable.
 *
 * @param values by name: numbers, texts and lists, in the order of the log
 */
public record ReduceReport(Map<String, Object> values) {
    private static final String MARK = "Spillway shuffle report {";
    private static final Pattern DONE = Pattern.compile("Task:(attempt_\\w+) is done\\.");
    private static final Pattern REDUCE = Pattern.compile("attempt_\\d+_\\d+_r_\\d+_\\d+");
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final System.Logger LOG = System.getLogger(ReduceReport.class.getName());

    /** Copies what is mutable. */
    public ReduceReport {
        values = Collections.unmodifiableMap(new LinkedHashMap<>(values));
    }

    /** A number, where the report has it. */
    public OptionalLong number(final String name) {
        return values.get(name) instanceof Number number
                ? OptionalLong.of(number.longValue())
                : OptionalLong.empty();
    }

    /** The memory that the reducer's buffer may take, where the report tells it. */
    public OptionalLong budgetBytes() {
        return values.keySet().stream()
                .filter(ReduceReport::isBudget)
                .map(this::number)
                .filter(OptionalLong::isPresent)
                .findFirst()
                .orElseGet(OptionalLong::empty);
    }

    private static boolean isBudget(final String name) {
        return name.toLowerCase(Locale.ROOT).contains("budget") && !name.startsWith("stall");
    }

    /** Reads tasks' logs; the reports are in the order of the attempts' names. */
    static List<ReduceReport> read(final List<Path> logs) {
        final Map<String, ReduceReport> reports = new TreeMap<>();
        logs.forEach(log -> read(log, reports));
        return List.copyOf(reports.values());
    }

    /**
     * Reads the reduce reports of a job's report.
     *
     * @param json as {@code spillway report} prints it
     */
    public static List<ReduceReport> ofReport(final String json) {
        try {
            final List<ReduceReport> reports = new ArrayList<>();
            for (final JsonNode reducer : MAPPER.readTree(json).path("reducers")) {
                reports.add(
                        new ReduceReport(
                                MAPPER.convertValue(
                                        reducer, new TypeReference<Map<String, Object>>() {})));
            }
            return List.copyOf(reports);
        } catch (final JsonProcessingException e) {
            throw new CommandException("no report of a job: " + e.getOriginalMessage(), e);
        }
    }

    private static void read(final Path log, final Map<String, ReduceReport> reports) {
        final List<ReduceReport> found = new ArrayList<>();
        final Set<String> done = new HashSet<>();
        try (Stream<String> lines = Files.lines(log, StandardCharsets.UTF_8)) {
            lines.forEach(line -> take(line, found, done));
        } catch (final IOException e) {
            throw new CommandException("cannot read " + log + ": " + e, e);
        }
        found.stream()
                .filter(report -> done.contains(report.task()))
                .forEach(report -> reports.put(report.task(), report));
    }

    private static void take(
            final String line, final List<ReduceReport> found, final Set<String> done) {
        final int mark = line.indexOf(MARK);
        if (mark >= 0) {
            parse(line.substring(mark + MARK.length() - 1), found);
            return;
        }
        final Matcher end = DONE.matcher(line);
        if (end.find()) {
            done.add(end.group(1));
        }
    }

    /** Takes a reducer's report; a line that is cut off tells nothing. */
    private static void parse(final String json, final List<ReduceReport> found) {
        try {
            final ReduceReport report =
                    new ReduceReport(MAPPER.readValue(json, new TypeReference<>() {}));
            if (REDUCE.matcher(report.task()).matches()) {
                found.add(report);
            }
        } catch (final JsonProcessingException e) {
            LOG.log(System.Logger.Level.DEBUG, "not a shuffle report: " + json, e);
        }
    }

    private String task() {
        return String.valueOf(values.get("task"));
    }
}
