// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the model expects at the papers' sizes. */
final class PaperModelTest {
    private static final Path DOCUMENT = Path.of("../docs/exhibits.md");

    private final Exhibits exhibits = Exhibits.load();

    /** The document has a row for each number of a paper that the model knows, and no other. */
    @Test
    void theDocumentHasTheModelsNumbers() throws IOException {
        final List<String> rows = new ArrayList<>();
        for (final Exhibit exhibit : exhibits.exhibits()) {
            final ExhibitResults nothing = new ExhibitResults(exhibit, List.of());
            for (final Exhibit.Claim claim : exhibit.claims()) {
                final PaperRow row = PaperRow.of(exhibit, nothing, model(exhibit), claim);
                if (!row.modelled().equals("–")) {
                    rows.add(
                            "| %s, %s | %s | %s |"
                                    .formatted(
                                            exhibit.id(), row.what(), row.paper(), row.modelled()));
                }
            }
        }
        final List<String> lines =
                Files.readAllLines(DOCUMENT).stream()
                        .dropWhile(line -> !line.startsWith("## At the papers' sizes"))
                        .filter(line -> line.matches("\\| [a-z]+-fig.*"))
                        .toList();
        assertThat(lines).isEqualTo(rows);
    }

    /** More hosts with the same data for each take as long, where no resource is shared. */
    @Test
    void hostsThatShareNothingTakeAsLongWithTheirShareOfTheData() {
        final Exhibit tera = exhibits.named("rdma-fig5");
        final Exhibit.Series stock = tera.chart().series().get(0);
        final double few = model(tera).seconds(tera.chart().points().get(0), stock).orElseThrow();
        final double many = model(tera).seconds(tera.chart().points().get(1), stock).orElseThrow();

        assertThat(many / few).isBetween(0.95, 1.05);
    }

    @Test
    void systemsThatTheModelDoesNotKnowHaveNoNumber() {
        final Exhibit tera = exhibits.named("rdma-fig4a");
        final Exhibit.Series hadoopA = tera.chart().series().get(1);
        final Exhibit words = exhibits.named("semem-fig3a");

        assertThat(model(tera).seconds(tera.chart().points().get(0), hadoopA)).isEmpty();
        assertThat(model(words).points()).isEmpty();
    }

    /** The paper's systems over all hosts: memory nodes compute where a system has none. */
    @Test
    void systemsWithoutMemoryNodesComputeOnAllHosts() {
        final Exhibit same = exhibits.named("semem-fig4a");
        final Exhibit more = exhibits.named("semem-fig4b");

        assertThat(model(same).scale(same.chart().points().get(0)).computing()).isEqualTo(36);
        assertThat(model(more).scale(more.chart().points().get(0)).computing()).isEqualTo(32);
    }

    private PaperModel model(final Exhibit exhibit) {
        return new PaperModel(exhibit, exhibits.paperOf(exhibit).scale());
    }
}
