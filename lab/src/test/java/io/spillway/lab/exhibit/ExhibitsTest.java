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
    private static final ExhibitCell.Extent EXTENT = new ExhibitCell.Extent(1 << 30, 1);

    private final Exhibits exhibits = Exhibits.load();

    @TestFactory
    Stream<DynamicTest> everyExhibitIsWhole() {
        return exhibits.exhibits().stream()
                .map(exhibit -> DynamicTest.dynamicTest(exhibit.id(), () -> assertWhole(exhibit)));
    }

    private void assertWhole(final Exhibit exhibit) {
        assertThat(exhibit.id()).startsWith(exhibits.paperOf(exhibit).id() + "-");
        assertThat(exhibit.origin().differs()).endsWith(".");
        assertThat(exhibit.chart().series()).allMatch(series -> series.config() != null);
        final ExhibitResults nothing = new ExhibitResults(List.of());
        for (final Exhibit.Claim claim : exhibit.claims()) {
            assertThat(claim.percent() > 0 ^ claim.times() > 0).as("%s", claim).isTrue();
            assertThat(PaperRow.of(exhibit, nothing, claim).here()).isEqualTo("–");
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
        final ExhibitCell.Extent extent = new ExhibitCell.Extent(800 << 20, 2);
        final ExhibitCell first =
                ExhibitCell.of(sort, sort.chart().points().get(0), extent, Path.of("data"));

        assertThat(first.plan().bytes()).isEqualTo(100 << 20);
        assertThat(first.plan().repeats()).isEqualTo(2);
        assertThat(first.file()).isEqualTo(Path.of("data/rdma-fig6/5-GB.json"));
        assertThat(first.cluster().hosts()).isEqualTo(4);
    }

    @Test
    void whatIsUnknownIsRefusedWithTheNamesOfAll() {
        assertThatThrownBy(() -> exhibits.named("rdma-fig99"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("rdma-fig99")
                .hasMessageContaining("semem-fig5b");
    }
}
