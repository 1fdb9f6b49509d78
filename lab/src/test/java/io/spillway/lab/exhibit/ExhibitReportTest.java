// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.lab.profile.ProfiledJobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExhibitReportTest {
    private final Exhibits exhibits = Exhibits.load();
    private final ExhibitCell.Extent extent = new ExhibitCell.Extent(1 << 20, 1, false);
    @TempDir private Path folder;
    private ExhibitReport report;

    @BeforeEach
    void begin() {
        report = new ExhibitReport(exhibits, folder, extent);
    }

    private void measure(
            final String id, final String label, final Map<String, Double> secondsByEngine)
            throws IOException {
        measure(id, label, "wall_seconds", secondsByEngine);
    }

    /** Writes the results of a point as runs do. */
    private void measure(
            final String id,
            final String label,
            final String key,
            final Map<String, Double> secondsByEngine)
            throws IOException {
        final ExhibitCell cell =
                report.cells(exhibits.named(id)).stream()
                        .filter(one -> one.point().label().equals(label))
                        .findFirst()
                        .orElseThrow();
        final ObjectNode tree = new ObjectMapper().createObjectNode();
        tree.put("isComplete", true).put("outputsAgree", true);
        tree.set("plan", new ObjectMapper().valueToTree(cell.plan().facts()));
        final ObjectNode medians = tree.putObject("medians");
        secondsByEngine.forEach(
                (engine, seconds) ->
                        medians.putObject(engine)
                                .putObject(key)
                                .put("median", seconds)
                                .put("min", seconds)
                                .put("max", seconds));
        Files.createDirectories(cell.file().getParent());
        Files.writeString(cell.file(), tree.toString());
    }

    /** Writes two samples of a sort as runs do. */
    private void sample(final String id, final String engine, final int value) throws IOException {
        final Path file =
                ProfiledJobs.file(
                        report.cells(exhibits.named(id)).get(0).profiles(),
                        "sort " + engine + " 1/1");
        Files.createDirectories(file.getParent());
        final String values = ",50,0,%1$d,%1$d,%1$d,%1$d\n".formatted(value);
        Files.writeString(
                file,
                "seconds,map_percent,reduce_percent,cpu_percent,memory_mb,disk_operations_per_s,"
                        + "received_mb_per_s_and_host\n"
                        + "2.0"
                        + values
                        + "4.0"
                        + values);
    }

    private String page(final String name) throws IOException {
        return Files.readString(folder.resolve(name));
    }

    @Test
    void aPageHasThePapersNumbersBesideOurs() throws IOException {
        measure("rdma-fig4a", "30 GB", Map.of("stock", 40.0, "hadoop-a", 30.0, "rdma", 20.0));
        report.write(Map.of());

        assertThat(page("rdma-fig4a.html"))
                .contains("30 GB: OSU-IB against IPoIB</td><td>-35 %</td><td>-50 %")
                .contains("40 GB: OSU-IB against IPoIB</td><td>-48 %</td><td>–")
                .contains("src=\"rdma-fig4a.svg\"", "data/rdma-fig4a/30-GB.json")
                .contains("./spillway exhibit rdma-fig4a --size 1m --repeat 1");
        assertThat(page("rdma-fig4a.svg")).contains("OSU-IB[20.00]");
        assertThat(page("index.html")).contains("rdma-fig4a.svg").contains("not measured");
    }

    @Test
    void aNumberOfOneSystemIsBesideOurs() throws IOException {
        measure("nvm-table2", "Sort", "spill_and_merge_seconds", Map.of("stock", 2.5));
        report.write(Map.of());

        assertThat(page("nvm-table1.html"))
                .contains("Sort: MR, spill and merge of a map</td><td>3.36 s</td><td>2.50 s");
    }

    @Test
    void aPageShowsTheSizesThatWereMeasured() throws IOException {
        measure("rdma-fig4a", "40 GB", Map.of("stock", 40.0));
        report.write(Map.of());
        assertThat(page("rdma-fig4a.html")).contains("40 GB (1 MB)");

        new ExhibitReport(exhibits, folder, ExhibitCell.Extent.of("small", 1)).write(Map.of());
        assertThat(page("rdma-fig4a.html")).contains("Not measured").contains("Small size");
    }

    @Test
    void nothingComesFromTheNetwork() throws IOException {
        measure("rdma-fig8", "5 GB", Map.of("stock", 4.0));
        report.write(Map.of());

        try (Stream<Path> files = Files.list(folder)) {
            for (final Path file : files.filter(one -> one.toString().endsWith("html")).toList()) {
                assertThat(Files.readString(file))
                        .as("%s", file)
                        .doesNotContain("src=\"http", "href=\"http", "url(", "@import");
            }
        }
    }

    @Test
    void whatFailedIsSaid() throws IOException {
        report.write(Map.of("nvm-fig1", List.of("20 GB: no <disk> left")));

        assertThat(page("nvm-fig1.html")).contains("20 GB: no &lt;disk&gt; left");
        assertThat(page("index.html")).contains("failed");
    }

    @Test
    void anExhibitOverTimeIsDrawnFromTheRunsOfAnother() throws IOException {
        measure("lustre-fig2", "20 GB", Map.of("stock-lustre", 10.0));
        sample("lustre-fig2", "stock-lustre", 8);
        report.write(Map.of());

        assertThat(page("lustre-fig6.svg")).contains("memory in use, MB");
        assertThat(page("lustre-fig6.html")).contains("./spillway exhibit lustre-fig2");
    }

    @Test
    void theRadarHasTheRatiosOfOtherExhibits() throws IOException {
        final Map<String, Double> values =
                Map.of("stock-lustre", 8.0, "lustre-rdma", 4.0, "lustre", 2.0);
        measure("lustre-fig2", "20 GB", "cpu_seconds", values);
        measure("lustre-fig3", "20 GB", values);
        measure("lustre-fig4", "16 nodes, 80 GB", values);
        measure("lustre-fig9a", "AdjList", values);
        for (final var entry : values.entrySet()) {
            sample("lustre-fig2", entry.getKey(), entry.getValue().intValue());
        }
        report.write(Map.of());

        assertThat(page("lustre-fig9c.svg"))
                .contains("RDMA; data size 2.00; cluster size 2.00; CPU 2.00; memory 2.00;")
                .contains("network 0.50; local I/O 2.00; macro benchmarks 2.00");
        assertThat(exhibits.sourcesOf(exhibits.named("lustre-fig9c")))
                .extracting(Exhibit::id)
                .containsExactly("lustre-fig3", "lustre-fig4", "lustre-fig2", "lustre-fig9a");
    }

    @Test
    void aCellIsMeasuredOnlyWithItsPlan() throws IOException {
        measure("rdma-fig7", "5 GB", Map.of("stock", 4.0));
        final Exhibit exhibit = exhibits.named("rdma-fig7");
        final Exhibit.Point point = exhibit.chart().points().get(0);

        assertThat(report.cells(exhibit).get(0).isMeasured()).isTrue();
        assertThat(report.cells(exhibit).get(1).isMeasured()).isFalse();
        assertThat(
                        ExhibitCell.of(
                                        exhibit,
                                        point,
                                        new ExhibitCell.Extent(1 << 20, 2, false),
                                        report.data())
                                .isMeasured())
                .isFalse();
    }
}
