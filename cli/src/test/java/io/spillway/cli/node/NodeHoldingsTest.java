// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class NodeHoldingsTest {
    private static final String STATUS =
            """
            {"pid":7,"draining":true,
             "nodeManagers":[{"name":"nm-1","connected":true,"jobs":["job_1_2"]}],
             "member":{"outputs":3,"usedBytes":1500000,"overflowUsedBytes":500000,
               "held":[{"job":"job_1_1","outputs":3,"bytes":2100000}],
               "placement":{"nodes":[{},{}]}}}
            """;

    @Test
    void saysWhatIsHeldAndWhose() {
        final NodeHoldings holdings = NodeHoldings.of(STATUS);
        assertThat(holdings.mayGo()).isFalse();
        assertThat(holdings.amount()).isEqualTo(4);
        assertThat(holdings.text())
                .contains("it cannot stop yet, as it has 3 outputs of 1 jobs, 2.0 MB; 1 jobs of")
                .containsPattern("job_1_1 +this process +3 +2.1\\n")
                .containsPattern("job_1_2 +nm-1 +- +-\\n");
        assertThat(holdings.json())
                .startsWith("{\"pid\":7,\"draining\":true,\"mayGo\":false,\"outputs\":3,")
                .contains("\"nodeManagers\":{\"nm-1\":[\"job_1_2\"]},\"placementService\":true");
    }

    @Test
    void namesWhatYarnHasToDoAndWhoAsksIt() {
        assertThat(NodeHoldings.of(STATUS).advice())
                .hasSize(2)
                .anyMatch(line -> line.contains("yarn rmadmin -refreshNodes -g SECONDS -client"))
                .anyMatch(line -> line.contains("placement service of 2 nodes"));
    }

    @Test
    void saysThatAnEmptyOneMayGo() {
        final NodeHoldings empty =
                NodeHoldings.of(
                        """
                        {"pid":7,"draining":true,"nodeManagers":[{"name":"nm-1","jobs":[]}],
                         "member":{"outputs":0,"held":[]}}
                        """);
        assertThat(empty.mayGo()).isTrue();
        assertThat(empty.text())
                .isEqualTo(
                        "node process 7 is drained and holds nothing: it can stop (spillway node"
                                + " stop)\n");
        assertThat(empty.advice()).isEmpty();
        assertThat(empty.json()).contains("\"mayGo\":true");
        assertThat(NodeHoldings.of("{\"pid\":7,\"draining\":false}").text())
                .isEqualTo("node process 7 takes outputs\n");
    }
}
