// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.status.JobFill;
import io.spillway.placement.status.LeaseRefusal;
import io.spillway.placement.status.NodeFill;
import io.spillway.placement.status.PlacementStatus;
import io.spillway.placement.status.ServiceFigures;
import io.spillway.transport.NodeAddress;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class ClusterMapTest {
    private static final ServiceFigures SERVICE =
            new ServiceFigures(
                    true,
                    1_000,
                    0.95,
                    500_000_000,
                    ServiceFigures.UNLIMITED,
                    2,
                    1_234,
                    Map.of(LeaseRefusal.JOB_QUOTA, 5L));

    private static NodeFill node(
            final String name, final boolean memoryOnly, final long used, final long silent) {
        final NodeIdentity identity = new NodeIdentity(name, new NodeAddress(name, 13562), 5);
        return new NodeFill(
                identity, new NodeSpace(memoryOnly, 1_000_000_000, used), 100_000_000, 7, silent);
    }

    @Test
    void showsWhatLiesInFilesBehindMemory() {
        final NodeSpace space =
                new NodeSpace(true, 1_000_000_000, 950_000_000, 40_000_000_000L, 2_500_000_000L);
        final NodeIdentity identity = new NodeIdentity("m", new NodeAddress("m", 13562), 5);
        final String page = page(List.of(new NodeFill(identity, space, 0, 7, 0)), List.of());
        assertThat(page).contains("2.50 GB in files of 40.0 GB · 7 outputs");
        assertThat(page(List.of(node("m", true, 0, 0)), List.of())).doesNotContain("in files");
    }

    private static String page(final List<NodeFill> nodes, final List<JobFill> jobs) {
        final HtmlTables page = new HtmlTables("Node <1>");
        ClusterMap.add(page, new PlacementStatus(SERVICE, nodes, jobs, Map.of("o'neil", 1L)));
        return page.render();
    }

    @Test
    void showsEachNodeWithItsFillAndItsState() {
        final String page =
                page(
                        List.of(
                                node("m1", true, 320_000_000, 300),
                                node("m2", true, 880_000_000, 300),
                                node("m3", true, 0, 9_000),
                                node("h1", false, 700_000_000, 0)),
                        List.of(new JobFill("job_1", "alice", 250_000_000, 3, 5)));
        assertThat(page)
                .contains("Memory nodes (3)", "Hosts that run tasks and give memory (1)")
                .contains("<div class=\"tile f0\" title=\"m1 at m1:13562")
                .contains("<i style=\"width:32.0%\"></i><u style=\"width:10.0%\">")
                .contains("42 % · 320 MB held of 1.00 GB")
                .contains("<div class=\"tile full\" title=\"m2 at")
                .contains("<div class=\"tile late\" title=\"m3 at", "last heard 9.0 s ago")
                .contains("<div class=\"tile f2\" title=\"h1 at")
                .contains("5 by a job&#39;s quota", "<b>500 MB</b><span>a job may take</span>")
                .contains("<td>job_1</td><td>alice</td>", "50 % of 500 MB", "<td>o&#39;neil</td>")
                .doesNotContain("a user may take", "Hosts that give none");
    }

    /** What nodes and users call themselves is text, whatever is in it. */
    @Test
    void escapesWhatOthersHaveNamed() {
        final String page =
                page(
                        List.of(node("\"><script>alert(1)</script>", true, 0, 0)),
                        List.of(new JobFill("job_1", "<img src=x onerror='a'>", 0, 0, 0)));
        assertThat(page)
                .contains("<h1>Node &lt;1&gt;</h1>")
                .contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;")
                .contains("&lt;img src=x onerror=&#39;a&#39;&gt;")
                .doesNotContain("<script>alert", "<img");
    }

    /** It is whole without scripts, refreshes itself without them too, and loads nothing. */
    @Test
    void needsNothingButItself() {
        final String page = page(List.of(node("m1", true, 0, 0)), List.of());
        assertThat(page)
                .contains("<noscript><meta http-equiv=\"refresh\"")
                .doesNotContain("src=", "href=", "http://", "https://", "@import", "url(");
        assertThat(PageHead.POLICY).contains("default-src 'none'", "script-src 'sha256-");
    }

    @Test
    void manyNodesAreSquares() {
        final List<NodeFill> nodes =
                IntStream.range(0, 2_000).mapToObj(i -> node("m" + i, true, i, 0)).toList();
        final String page = page(nodes, List.of());
        assertThat(page)
                .contains("<div class=\"map dense\">")
                .contains("title=\"m1999:13562: 10 % · 2.00 kB held of 1.00 GB");
        assertThat(page.split("class=\"tile ", -1)).hasSize(2_001);
    }

    @Test
    void bytesAreInTheirUnit() {
        assertThat(List.of(0L, 999L, 1_000L, 1_234_000L, 8_000_000_000L, 1L << 60))
                .extracting(HtmlTables::bytes)
                .containsExactly("0 B", "999 B", "1.00 kB", "1.23 MB", "8.00 GB", "1153 PB");
    }
}
