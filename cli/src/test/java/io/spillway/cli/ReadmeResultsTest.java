// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every figure of the tables of README's results is that of the raw file that its row or its table
 * links.
 */
class ReadmeResultsTest {
    private static final Path ROOT = Path.of("..");
    private static final Pattern RAW_FILE =
            Pattern.compile("\\((docs/results/runs/[^)]+/[^)]+\\.json)\\)");
    private static final Pattern COST_PER_GB =
            Pattern.compile("\\[(\\d+) of (\\d+)]\\(docs/results/jobs\\.md\\) CPU-seconds per GB");
    private static final Pattern FIRST_REDUCE =
            Pattern.compile("The first `reduce\\(\\)` comes ([\\d.]+) s after");
    private static final String CLOSER = "TeraSort of 4 GB, more closely";

    /** The rows of the closer table, by the names that the JSON has for them. */
    private static final Map<String, String> MEASURES =
            Map.of(
                    "shuffle tax: CPU-s a GB beyond the copy's", "tax_cpu_seconds_per_gb",
                    "wall time, s", "wall_seconds",
                    "spill and merge of a map, s", "spill_and_merge_seconds",
                    "map output written to disk, GB", "disk_intermediate_gb",
                    "memory of a reducer's process, MB", "reducer_physical_mb",
                    "CPU of the NodeManagers, s", "cpu_node_managers_seconds");

    private final List<String> lines = resultsOfReadme();

    @Test
    void ratiosAreThoseOfTheFileThatTheirRowLinks() {
        final List<String> rows =
                lines.stream()
                        .skip(indexOf("| job |") + 2)
                        .takeWhile(line -> !line.isBlank())
                        .toList();

        assertThat(rows).hasSizeGreaterThanOrEqualTo(7);
        assertThat(rows).allSatisfy(row -> assertCells(row, rawFileOf(row), "cpu_over_copy"));
    }

    @Test
    void closerFiguresAreThoseOfTheFileThatTheTableLinks() {
        final int title = indexOf(CLOSER);
        final Path file = rawFileOf(lines.get(title));
        final List<String> rows =
                lines.stream().skip(title).filter(row -> MEASURES.containsKey(first(row))).toList();

        assertThat(rows).hasSameSizeAs(MEASURES.keySet());
        assertThat(rows).allSatisfy(row -> assertCells(row, file, MEASURES.get(first(row))));
    }

    @Test
    void whatStockTakesForAGigabyteIsThatOfTheSameFile() throws IOException {
        final MatchResult cost = inReadme(COST_PER_GB);
        final JsonNode result = read(rawFileOf(lines.get(indexOf(CLOSER))));
        final JsonNode stock = result.path("medians").path("stock");
        final double gigabytes = result.path("plan").path("bytes").asDouble() / 1e9;

        assertThat(cost.group(1)).isEqualTo(text(median(stock, "tax_cpu_seconds_per_gb"), 0));
        assertThat(cost.group(2)).isEqualTo(text(median(stock, "cpu_seconds") / gigabytes, 0));
    }

    @Test
    void whenReducingBeginsIsThatOfTheSameFile() throws IOException {
        final String seconds = inReadme(FIRST_REDUCE).group(1);
        final JsonNode medians = read(rawFileOf(lines.get(indexOf(CLOSER)))).path("medians");

        assertThat(seconds)
                .isEqualTo(like(seconds, medians, spillwayOf(medians), "first_record_seconds"));
    }

    /** What loses is named beside what wins. */
    @Test
    void aTailThatIsLongerThanStocksIsNamed() throws IOException {
        for (final Path file : lines.stream().flatMap(ReadmeResultsTest::rawFiles).toList()) {
            final JsonNode medians = read(file).path("medians");
            final double spillway = median(medians.path(spillwayOf(medians)), "tail_seconds");
            final double stock = median(medians.path("stock"), "tail_seconds");
            if (spillway > stock) {
                assertThat(readme())
                        .as("%s", file)
                        .contains("(" + text(spillway, 1) + " and " + text(stock, 1) + " s)");
            }
        }
    }

    @Test
    void allRawFilesAreOfOneRunInFullSize() throws IOException {
        final List<Path> folders =
                lines.stream().flatMap(ReadmeResultsTest::rawFiles).map(Path::getParent).toList();

        assertThat(folders.stream().distinct()).hasSize(1);
        assertThat(Files.readString(folders.get(0).resolve("machine.txt")))
                .contains("scale: 1/1\n", "ended: ");
    }

    private static MatchResult inReadme(final Pattern pattern) throws IOException {
        final Matcher matcher = pattern.matcher(readme());
        assertThat(matcher.find()).as("README says %s", pattern).isTrue();
        return matcher.toMatchResult();
    }

    private static void assertCells(final String row, final Path file, final String measure) {
        final JsonNode medians = read(file).path("medians");
        final List<String> cells = cells(row);

        assertThat(cells).as(row).hasSize(4);
        final List<String> engines = List.of("stock", "stock-tuned", spillwayOf(medians));
        for (int i = 0; i < engines.size(); i++) {
            final String cell = cells.get(i + 1);
            assertThat(cell).as(row).isEqualTo(like(cell, medians, engines.get(i), measure));
        }
    }

    /** The median with as many decimals as a cell has. */
    private static String like(
            final String cell, final JsonNode medians, final String engine, final String measure) {
        final int point = cell.indexOf('.');
        final int decimals = point < 0 ? 0 : cell.length() - point - 1;
        return text(median(medians.path(engine), measure), decimals);
    }

    private static double median(final JsonNode medians, final String measure) {
        final JsonNode median = medians.path(measure).path("median");
        assertThat(median.isNumber()).as("%s is in the file", measure).isTrue();
        return median.asDouble();
    }

    private static String text(final double value, final int decimals) {
        return String.format(Locale.ROOT, "%." + decimals + "f", value);
    }

    /** Spillway's name in a file says what it is set to. */
    private static String spillwayOf(final JsonNode medians) {
        final List<String> names = new ArrayList<>();
        medians.fieldNames().forEachRemaining(names::add);
        names.removeIf(name -> name.startsWith("stock"));
        assertThat(names).hasSize(1);
        return names.get(0);
    }

    private static List<String> cells(final String row) {
        return Stream.of(row.substring(1).split("\\|"))
                .map(cell -> cell.replace("*", "").strip())
                .toList();
    }

    private static String first(final String line) {
        return line.startsWith("|") ? cells(line).get(0) : "";
    }

    private static Path rawFileOf(final String line) {
        return rawFiles(line).findFirst().orElseThrow(() -> new AssertionError(line));
    }

    private static Stream<Path> rawFiles(final String line) {
        return RAW_FILE.matcher(line).results().map(link -> ROOT.resolve(link.group(1)));
    }

    private int indexOf(final String text) {
        for (int i = 0; i < lines.size(); i++) {
            if (lines.get(i).contains(text)) {
                return i;
            }
        }
        throw new AssertionError("README's results have no line with: " + text);
    }

    private static List<String> resultsOfReadme() {
        try {
            final String readme = readme();
            final int start = readme.indexOf("\n## Results\n");
            final int end = readme.indexOf("\n## ", start + 1);
            assertThat(start).as("README has a section Results").isPositive();
            return readme.substring(start, end).lines().toList();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private static String readme() throws IOException {
        return Files.readString(ROOT.resolve("README.md"));
    }

    private static JsonNode read(final Path file) {
        try {
            final JsonNode result = new ObjectMapper().readTree(file.toFile());
            assertThat(result.path("isComplete").asBoolean()).as("%s is complete", file).isTrue();
            assertThat(result.path("outputsAgree").asBoolean()).as("%s agrees", file).isTrue();
            return result;
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
