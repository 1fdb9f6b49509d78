// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.spillway.lab.profile.JobProfiler;
import io.spillway.lab.profile.ProfiledJobs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ExhibitReportTest {
    private final Exhibits exhibits = Exhibits.load();
    private final ExhibitCell.Extent extent = new ExhibitCell.Extent(1 << 20, 1);
    @TempDir private Path folder;
    private ExhibitReport report;

    @BeforeEach
    void begin() {
        report = new ExhibitReport(exhibits, folder, extent);
    }

    /** Writes the results of a point as runs do. */
    private void measure(
            final String id, final String label, final Map<String, Double> secondsByEngine)
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
                                .putObject("wall_seconds")
                                .put("median", seconds)
                                .put("min", seconds)
                                .put("max", seconds));
        Files.createDirectories(cell.file().getParent());
        Files.writeString(cell.file(), tree.toString());
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
        assertThat(page("rdma-fig4a.svg")).contains("OSU-IB[-, 20.00, -]");
        assertThat(page("index.html")).contains("rdma-fig4a.svg").contains("not measured");
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
    void anExhibitOverTimeIsDrawnFromTheRunsOfAnother() throws Exception {
        measure("lustre-fig2", "20 GB", Map.of("stock-lustre", 10.0));
        final ExhibitCell cell = report.cells(exhibits.named("lustre-fig2")).get(0);
        try (JobProfiler profiler = new JobProfiler(List.of(), 20)) {
            while (profiler.samples().size() < 2) {
                TimeUnit.MILLISECONDS.sleep(5);
            }
            profiler.write(ProfiledJobs.file(cell.profiles(), "sort stock-lustre 1/1"));
        }
        report.write(Map.of());

        assertThat(page("lustre-fig6.svg")).contains("memory in use, MB");
        assertThat(page("lustre-fig6.html")).contains("./spillway exhibit lustre-fig2");
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
                                        new ExhibitCell.Extent(1 << 20, 2),
                                        report.data())
                                .isMeasured())
                .isFalse();
    }
}
