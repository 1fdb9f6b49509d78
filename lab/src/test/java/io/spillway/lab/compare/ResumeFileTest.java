// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.MapStages;
import io.spillway.cli.run.SiteFiles.Totals;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.process.CommandOwner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResumeFileTest {
    @TempDir private Path folder;
    private ResumeFile file;

    @BeforeEach
    void besideTheResults() {
        file = new ResumeFile(folder.resolve("tera.json"));
    }

    /** Runs with all that a report may have: logs of maps, reports of reducers, counters, CPU. */
    private static ResumeFile.Content content() {
        final ComparisonResult result = ComparisonResultTest.resultOf(2_000_000_000L);
        final JobFigures reporting = result.runs().get(1).figures();
        final JobFigures withLogs =
                new JobFigures(
                        reporting.jobId(),
                        reporting.name(),
                        reporting.state(),
                        reporting.submitted(),
                        reporting.wallMillis(),
                        reporting.maps(),
                        reporting.reduces(),
                        reporting.stages(),
                        Optional.of(new MapStages(4, 500, 600, List.of(200L, 300L))),
                        reporting.reduceReports(),
                        reporting.counters(),
                        reporting.services());
        final EngineRun ofContender =
                new EngineRun(
                        EngineConfig.parse("rdma@tcp+shuffle.prefetch=false"),
                        1,
                        withLogs,
                        result.runs().get(1).output());
        return ResumeFile.Content.of(
                Map.of("workload", "terasort"),
                Map.of("nodes", "2"),
                Optional.of("compare-7"),
                new SavedRuns(
                        "terasort-7-abc",
                        new Totals(5, 2_000_000_000L),
                        result.copies(),
                        List.of(result.runs().get(0), ofContender)));
    }

    @Test
    void givesBackAllThatWasSaved() {
        assertThat(file.read()).isEmpty();
        file.write(content());

        assertThat(file.read()).contains(content());
        assertThat(folder).isDirectoryContaining("glob:**tera.json.resume");
        file.delete();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void refusesAFileThatIsCutOffAnywhere() throws IOException {
        file.write(content());
        final String whole = Files.readString(file.path());
        for (int length = 0; length < whole.length() - 2; length += 97) {
            Files.writeString(file.path(), whole.substring(0, length));
            assertThatThrownBy(file::read)
                    .as("length=%d", length)
                    .isInstanceOf(BadInputException.class)
                    .hasMessageContaining(file.path().toString())
                    .hasMessageContaining("delete it to begin anew");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "hello",
                "{\"schema\": 2, \"isComplete\": false}",
                "{\"format\": 9}",
                "{\"format\": 3}",
                "{\"format\": 3, \"options\": {}, \"site\": {}}",
                "{\"format\": 3, \"options\": {}, \"site\": {}, \"owner\": {\"pid\": 1,"
                        + " \"startTicks\": 2, \"machine\": \"a\"}, \"saved\": {\"folder\": \"\"}}"
            })
    void refusesWhatIsNoSuchFile(final String text) throws IOException {
        Files.writeString(file.path(), text);

        assertThatThrownBy(file::read)
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining(file.path().toString());
    }

    @Test
    void aFileThatCannotBeReplacedIsAnError() throws IOException {
        Files.createDirectories(file.path().resolve("in-the-way"));

        assertThatThrownBy(() -> file.write(content())).hasMessageContaining("cannot write");
    }

    @Test
    void tellsAnotherProcessFromThisOneAndFromOneThatIsGone() throws Exception {
        final Process other = new ProcessBuilder("sleep", "600").start();
        final CommandOwner owner = CommandOwner.of(other.pid());
        try {
            assertThat(owner.livesElsewhere()).isTrue();
            assertThat(
                            new CommandOwner(other.pid(), owner.startTicks() - 1, owner.machine())
                                    .livesElsewhere())
                    .isFalse();
        } finally {
            other.destroyForcibly().waitFor();
        }
        assertThat(owner.livesElsewhere()).isFalse();
        assertThat(content().owner().livesElsewhere()).isFalse();
    }
}
