package io.spillway.bench.net.put;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.bench.net.TransportVariant;
import io.spillway.bench.report.Machine;
import io.spillway.bench.run.Monitor;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two processes and real sockets; what puts cost is not asserted. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class PutBenchmarkTest {
    private static final TransportVariant TCP = new TransportVariant(TransportVariant.Kind.TCP);
    private static final TransportVariant IMPOSSIBLE =
            new TransportVariant(TransportVariant.Kind.UCX, "nosuchtransport");
    private static final long FIRST = 2 << 20;
    private static final long MEASURED = 5 << 20;

    private static final Machine MACHINE =
            new Machine(
                    2,
                    "a processor",
                    1024,
                    "Linux",
                    "17",
                    "3.5.0",
                    "2026-11-21T00:00:00Z",
                    Machine.NO_EMULATION);

    @TempDir private Path folder;

    @Test
    void measuresBothPhasesOfEachPieceAndSaysWhyAWayIsNotMeasured() throws Exception {
        final PutPlan plan =
                new PutPlan(
                        List.of(TCP, IMPOSSIBLE),
                        List.of(1 << 10, 64 << 10),
                        1,
                        FIRST,
                        1 << 20,
                        MEASURED,
                        Map.of());

        final PutResult result = new PutBenchmark(classPath(), folder, plan).run(Monitor.NONE);

        assertThat(result.rows())
                .extracting(row -> row.piece() + " " + row.phase() + " " + row.bytes())
                .containsExactly(
                        "1024 FIRST " + FIRST,
                        "1024 STEADY " + MEASURED,
                        "65536 FIRST " + FIRST,
                        "65536 STEADY " + MEASURED);
        assertThat(result.rows())
                .allSatisfy(
                        row -> {
                            assertThat(row.way()).isEqualTo("tcp");
                            assertThat(row.seconds()).isPositive();
                            assertThat(row.senderCpuSeconds()).isPositive();
                            assertThat(row.receiverCpuSeconds()).isNotNegative();
                            assertThat(PutRow.parse(row.text("\t"), "\t").bytes())
                                    .isEqualTo(row.bytes());
                        });
        assertThat(result.notes()).hasSize(1);
        assertThat(result.text(MACHINE))
                .contains("sender CPU s/GB", "steady")
                .contains("Not measured: ucx/nosuchtransport: ");
    }

    @Test
    void writesTableAndSamples() throws Exception {
        final PutPlan plan =
                new PutPlan(List.of(TCP), List.of(4096), 3, FIRST, 0, MEASURED, Map.of());
        final List<PutRow> rows = List.of(row(1, 0.5, 0.3), row(2, 4, 0.2), row(3, 1, 0.25));
        final PutResult result = new PutResult(plan, rows, List.of());

        final List<Path> files = result.write(folder.resolve("out"), MACHINE);

        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("puts.txt", "puts.json");
        assertThat(files.get(0)).content().containsPattern("tcp +4k +steady +1.00 +0.25 +1.00");
        final JsonNode tree = new ObjectMapper().readTree(files.get(1).toFile());
        assertThat(tree.at("/samples")).hasSize(3);
        assertThat(tree.at("/samples/1/senderCpuSeconds").asDouble()).isEqualTo(4);
        assertThat(tree.at("/machine/cpu").asText()).isEqualTo("a processor");
    }

    private static PutRow row(final int round, final double sender, final double receiver) {
        return new PutRow(
                "tcp", 4096, round, PutRow.Phase.STEADY, 1_000_000_000, 1, sender, receiver);
    }

    private static List<String> classPath() {
        return List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1));
    }
}
