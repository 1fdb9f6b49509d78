// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.cli.run.Monitor;
import io.spillway.lab.report.Machine;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes and real sockets; what the load costs is not asserted. */
@Timeout(value = 180, unit = TimeUnit.SECONDS)
class LoadBenchmarkTest {
    private static final int MAPS = 20;
    private static final int REDUCERS = 10;
    private static final int TURNS = 1_500;
    private static final int FILES = 3;

    @TempDir private Path folder;

    @Test
    void everyTaskDoesItsWork() throws Exception {
        final LoadPlan plan =
                new LoadPlan(
                        MAPS,
                        REDUCERS,
                        5_000,
                        TURNS,
                        FILES,
                        16,
                        Map.of("spillway.node.index.bytes", "64k"));
        assertThat(LoadPlan.parse(plan.arguments())).isEqualTo(plan);

        final LoadResult result =
                new LoadBenchmark(classPath(), folder.resolve("run"), plan).run(Monitor.NONE);

        assertThat(result.rows())
                .extracting(row -> row.stage() + " " + row.tasks() + " " + row.segments())
                .containsExactly(
                        "MAPS_PUT 20 200",
                        "REDUCERS_FETCH 10 200",
                        "LONG_OUTPUTS 4 18000",
                        "TURNS_OF_MEMORY 1500 18000",
                        "TURNS_OF_DISK 1500 4500",
                        "RANDOM_OF_DISK 150 450");
        assertThat(result.rows())
                .allSatisfy(
                        row -> {
                            assertThat(row.seconds()).isPositive();
                            assertThat(row.bytes()).isPositive();
                            assertThat(row.heapBytes()).isPositive();
                            assertThat(row.residentBytes()).isPositive();
                            assertThat(row.descriptors()).isPositive();
                            assertThat(LoadRow.parse(row.text("\t"), "\t").segments())
                                    .isEqualTo(row.segments());
                        });
        final List<Path> files = result.write(folder.resolve("out"), Machine.thisOne("3.5.0"));
        assertThat(files.get(0)).content().contains("turns, memory").contains("node CPU s");
        final JsonNode tree = new ObjectMapper().readTree(files.get(1).toFile());
        assertThat(tree.at("/stages")).hasSize(6);
        assertThat(tree.at("/plan/turns").asInt()).isEqualTo(TURNS);
    }

    private static List<String> classPath() {
        return List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    }
}
