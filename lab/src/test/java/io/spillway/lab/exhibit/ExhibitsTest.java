// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.exhibit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** The list of exhibits is consistent: each name in it exists. */
final class ExhibitsTest {
    private static final ExhibitCell.Extent EXTENT = new ExhibitCell.Extent(1 << 30, 1, false);

    private final Exhibits exhibits = Exhibits.load();

    @TestFactory
    Stream<DynamicTest> everyExhibitIsWhole() {
        return exhibits.exhibits().stream()
                .map(exhibit -> DynamicTest.dynamicTest(exhibit.id(), () -> assertWhole(exhibit)));
    }

    private void assertWhole(final Exhibit exhibit) {
        assertThat(exhibit.id()).startsWith(exhibits.paperOf(exhibit).id() + "-");
        assertThat(exhibit.origin().differs() + exhibits.paperOf(exhibit).differs()).endsWith(".");
        assertThat(exhibit.chart().series()).allMatch(series -> series.config() != null);
        final ExhibitResults nothing = new ExhibitResults(exhibit, List.of());
        final PaperModel model = new PaperModel(exhibit, exhibits.paperOf(exhibit).scale());
        for (final Exhibit.Claim claim : exhibit.claims()) {
            assertThat(claim.number()).as("%s", claim).isPositive();
            assertThat(PaperRow.of(exhibit, nothing, model, claim).here()).isEqualTo("–");
        }
        assertThat(new ExhibitReport(exhibits, Path.of("out"), EXTENT).cells(exhibit))
                .allSatisfy(cell -> assertThat(cell.plan().workload()).isNotNull());
        final Exhibit source = exhibits.sourceOf(exhibit);
        assertThat(source.chart().points()).containsAll(exhibit.chart().points());
        assertThat(source.chart().series()).containsAll(exhibit.chart().series());
    }

    @Test
    void idsAreUniqueAndCoverAllPapers() {
        assertThat(exhibits.exhibits()).extracting(Exhibit::id).doesNotHaveDuplicates();
        assertThat(exhibits.exhibits())
                .extracting(exhibit -> exhibit.origin().paper())
                .containsOnly("rdma", "nvm", "lustre", "semem");
    }

    @Test
    void aPointHasItsShareOfTheLargestOne() {
        final Exhibit sort = exhibits.named("rdma-fig6");
        final ExhibitCell.Extent extent = new ExhibitCell.Extent(800 << 20, 2, false);
        final ExhibitCell first =
                ExhibitCell.of(sort, sort.chart().points().get(0), extent, Path.of("data"));

        assertThat(first.plan().bytes()).isEqualTo(100 << 20);
        assertThat(first.plan().repeats()).isEqualTo(2);
        assertThat(first.file()).isEqualTo(Path.of("data/rdma-fig6/5-GB.json"));
        assertThat(first.cluster().hosts()).isEqualTo(4);
    }

    @Test
    void smallIsThePointsThatThePaperHasNumbersFor() {
        final ExhibitCell.Extent small = ExhibitCell.Extent.of("small", 1);

        assertThat(small.points(exhibits.named("rdma-fig6")))
                .extracting(Exhibit.Point::label)
                .containsExactly("20 GB", "40 GB");
        assertThat(small.points(exhibits.named("lustre-stripe")))
                .extracting(Exhibit.Point::label)
                .containsExactly("64 MB", "512 MB");
        assertThat(ExhibitCell.Extent.of("1g", 1).points(exhibits.named("rdma-fig6"))).hasSize(8);
    }

    @Test
    void aPointAddsItsPropertiesToThoseOfTheExhibit() {
        final Exhibit benchmarks = exhibits.named("nvm-fig5a");
        final Exhibit.Point kmeans = benchmarks.chart().points().get(5);

        assertThat(benchmarks.setup().with(kmeans.setup()).properties())
                .containsOnlyKeys(
                        "spillway.bench.kmeans.clusters", "spillway.store.nvm.emulation.write");
    }

    @Test
    void whatIsUnknownIsRefusedWithTheNamesOfAll() {
        assertThatThrownBy(() -> exhibits.named("rdma-fig99"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("rdma-fig99")
                .hasMessageContaining("semem-fig5b");
    }
}
