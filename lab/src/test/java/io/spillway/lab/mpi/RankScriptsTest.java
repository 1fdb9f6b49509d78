// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RankScriptsTest {
    @TempDir private Path folder;

    private RankScripts.Rank rank(final String name, final String... line) {
        return new RankScripts.Rank(
                List.of(line), folder.resolve(name + ".log"), folder.resolve(name + ".pid"));
    }

    private record Ended(int code, String output, long pid) {}

    private static Ended run(final List<String> line, final Map<String, String> environment)
            throws IOException, InterruptedException {
        final ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
        builder.redirectInput(new File("/dev/null"));
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Ended(process.waitFor(), output, process.pid());
    }

    @ParameterizedTest
    @ValueSource(strings = {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
    void eachRankBecomesItsOwnCommand(final String variable) throws Exception {
        final List<String> command =
                new RankScripts(folder)
                        .write(
                                List.of(
                                        rank("first", "echo", "zero"),
                                        rank("second", "sh", "-c", "echo \"$0 $$\"", "it's one")));

        final Ended second = run(command, Map.of(variable, "1"));

        assertThat(second.code()).isZero();
        assertThat(second.output()).isEmpty();
        assertThat(folder.resolve("second.log")).hasContent("it's one " + second.pid());
        assertThat(folder.resolve("second.pid")).hasContent(String.valueOf(second.pid()));
        assertThat(folder.resolve("first.log")).doesNotExist();
    }

    @Test
    void aRankThatIsNotThereSaysSo() throws Exception {
        final List<String> command =
                new RankScripts(folder).write(List.of(rank("only", "echo", "zero")));

        final Ended ended = run(command, Map.of("PMI_RANK", "1"));

        assertThat(ended.code()).isEqualTo(2);
        assertThat(ended.output()).contains("rank 1: expected 0 to 0");
    }

    @Test
    void theAgentRunsALineOnItsHost() throws Exception {
        final Path agent =
                new RankScripts(folder)
                        .writeAgent(
                                Map.of(
                                        "host1", List.of("env", "WHERE=one"),
                                        "host2", List.of("env", "WHERE=it's two")));
        final List<String> asHydra = new ArrayList<>(List.of(agent.toString(), "-x", "host2"));
        asHydra.addAll(List.of("echo", "\"$WHERE\"", "&&", "echo", "done"));

        assertThat(run(asHydra, Map.of()).output()).isEqualTo("it's two\ndone\n");
        assertThat(run(List.of(agent.toString(), "host1", "echo $WHERE"), Map.of()).output())
                .isEqualTo("one\n");

        final Ended other = run(List.of(agent.toString(), "host3", "true"), Map.of());
        assertThat(other.code()).isEqualTo(255);
        assertThat(other.output()).contains("host3");
    }
}
