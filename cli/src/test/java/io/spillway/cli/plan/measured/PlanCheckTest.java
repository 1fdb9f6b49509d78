// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.Placement;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class PlanCheckTest {
    private static final Path RESULTS = Path.of("../docs/results");
    private static final Path DOCUMENT = Path.of("../docs/plan.md");
    private static final String COMMAND = "spillway plan --check ";

    @TempDir private Path folder;

    /** The figures in the code are those of the files that they name. */
    @ParameterizedTest
    @EnumSource
    void defaultsAreMeansOfCommittedResults(final DefaultCosts known) {
        final List<Calibration> files =
                known.files().stream()
                        .map(RESULTS::resolve)
                        .map(file -> Calibration.find("--measured", file, known.isStock()))
                        .map(Optional::orElseThrow)
                        .toList();
        final Calibration calibration = known.calibration();

        assertMean(files, calibration, Calibration::copyPerGb);
        assertMean(files, calibration, Calibration::ratio);
        assertMean(files, calibration, Calibration::outputRatio);
        assertMean(files, calibration, file -> file.costs().mapPerGb());
        assertMean(files, calibration, file -> file.costs().reducePerGb());
        assertMean(files, calibration, file -> file.costs().servePerGb());
        assertMean(files, calibration, file -> file.costs().taskSeconds());
        assertMean(files, calibration, file -> file.costs().jobSeconds());
    }

    private static void assertMean(
            final List<Calibration> files,
            final Calibration known,
            final ToDoubleFunction<Calibration> value) {
        final double mean = files.stream().mapToDouble(value).average().orElseThrow();
        assertThat(value.applyAsDouble(known)).isCloseTo(mean, within(mean * 0.005));
    }

    /** The command that docs/plan.md gives, and what docs/plan.md says of its result. */
    @Test
    void theErrorThatTheDocumentTellsIsThatOfItsCommand() throws IOException {
        final String text = Files.readString(DOCUMENT);
        final String command =
                text.lines()
                        .filter(line -> line.startsWith(COMMAND))
                        .findFirst()
                        .orElseThrow()
                        .substring(COMMAND.length());

        final String result = PlanCheck.of(files(command), Optional.empty()).text();
        assertThat(result.lines().filter(line -> line.startsWith("Error of ")))
                .singleElement()
                .satisfies(line -> assertThat(text).contains("**" + line + "**"));
    }

    /** Those that a shell makes of it. */
    private static List<Path> files(final String globs) throws IOException {
        final List<Path> found = new ArrayList<>();
        try (Stream<Path> all = Files.walk(RESULTS)) {
            final List<Path> sorted = all.filter(Files::isRegularFile).sorted().toList();
            for (final String glob : globs.strip().split(" ", -1)) {
                final PathMatcher matcher =
                        FileSystems.getDefault().getPathMatcher("glob:../" + glob);
                final int before = found.size();
                sorted.stream().filter(matcher::matches).forEach(found::add);
                assertThat(found.size()).as(glob).isGreaterThan(before);
            }
        }
        return found;
    }

    @Test
    void runsOfTheCostsOwnFileAreToldFromOthers() {
        final PlanCheck check =
                PlanCheck.of(
                        List.of(
                                RESULTS.resolve("edges-4g/after-1.json"),
                                RESULTS.resolve("map-output-4g/terasort.json")),
                        Optional.empty());

        assertThat(check.rows())
                .extracting(PlanCheck.Row::engine, PlanCheck.Row::isOwn)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("spillway", true),
                        org.assertj.core.groups.Tuple.tuple("stock", false),
                        org.assertj.core.groups.Tuple.tuple("rdma", false),
                        org.assertj.core.groups.Tuple.tuple("auto", false));
        assertThat(check.rows()).allSatisfy(row -> assertThat(row.expected()).isPositive());
        assertThat(check.rows().get(0).measured()).isEqualTo(53.145);
        assertThat(Math.abs(check.rows().get(0).error())).isLessThan(0.1);
        assertThat(check.text())
                .contains("no test of the model", "Error of 3 other runs")
                .contains("rdma-nvm is not modelled");
    }

    /** A file as it will be once such runs are committed: hosts, a link and memory nodes. */
    @Test
    void runsWithMemoryNodesAreCheckedToo() throws IOException {
        final String text = Files.readString(RESULTS.resolve("edges-4g/after-1.json"));
        final String hosts =
                text.replaceFirst(
                                "\"site\" *: *\\{",
                                "\"site\" : {\"emulatedHosts\" : 4, \"memoryNodes\" : 2,"
                                        + " \"emulatedLink\" : {\"bitsPerSecond\" : 1000000000},")
                        .replace("\"engine\" : \"spillway\"", "\"engine\" : \"dedicated\"");
        final Path file = Files.writeString(folder.resolve("dedicated.json"), hosts);
        final CompareFile read = CompareFile.read("--check", file);

        assertThat(read.hosts()).isEqualTo(4);
        assertThat(read.memoryNodes()).isEqualTo(2);
        assertThat(read.linkRate()).isEqualTo(1.25e8);
        final PlanCheck.Row row = PlanCheck.of(List.of(file), Optional.empty()).rows().get(0);
        final double local =
                PlanCheck.of(List.of(RESULTS.resolve("edges-4g/after-1.json")), Optional.empty())
                        .rows()
                        .get(0)
                        .expected();
        assertThat(row.engine()).isEqualTo("dedicated");
        assertThat(row.isOwn()).isFalse();
        assertThat(row.expected()).isGreaterThan(local);
    }

    @Test
    void workloadsWithoutCostsAreLeftOutAndSaid() throws IOException {
        final String text = Files.readString(RESULTS.resolve("edges-4g/after-1.json"));
        final Path file =
                Files.writeString(
                        folder.resolve("words.json"),
                        text.replace("\"terasort\"", "\"wordcount\""));

        assertThat(PlanCheck.of(List.of(file), Optional.empty()).text())
                .contains("no costs of wordcount; give --measured", "No run to tell the error by");
        assertThat(PlanCheck.of(List.of(file), Optional.of(file)).rows())
                .singleElement()
                .satisfies(row -> assertThat(row.isOwn()).isTrue());
    }

    @ParameterizedTest
    @CsvSource({
        "spillway, LOCAL",
        "rdma@ucx, LOCAL",
        "ramdisk, RAMDISK",
        "every-node@tcp, EVERY_NODE",
        "dedicated+placement.copies=2, DEDICATED",
        "auto+placement=auto, AUTO",
    })
    void enginesHavePlacements(final String engine, final Placement placement) {
        assertThat(ModelledEngine.of(engine)).contains(new ModelledEngine(false, placement));
    }

    @ParameterizedTest
    @CsvSource({
        "stock+mapreduce.task.io.sort.mb=200",
        "stock-tuned",
        "central-disk",
        "hadoop-a",
        "rdma-nvm",
        "unheard-of"
    })
    void otherEnginesAreNotModelled(final String engine) {
        assertThat(ModelledEngine.of(engine)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}|expected the JSON of compare",
                "nothing|expected JSON",
                "{\"runs\": [], \"plan\": {\"workload\": \"sort\"}}|it has 0 copies and 0 runs",
            })
    void otherFilesAreRefusedByName(final String text, final String expected) throws IOException {
        final Path file = Files.writeString(folder.resolve("wrong.json"), text);

        assertThatThrownBy(() -> Calibration.read("--measured", file))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("wrong.json")
                .hasMessageContaining(expected);
    }
}
