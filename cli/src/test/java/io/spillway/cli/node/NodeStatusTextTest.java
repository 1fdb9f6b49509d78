// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.CommandException;
import org.junit.jupiter.api.Test;

class NodeStatusTextTest {
    private static final String STATUS =
            """
            {"version":"0.1.0","pid":4711,"epoch":1700000000123,"started":"2026-11-21T10:00:00Z",
             "socket":"/dev/shm/spillway-yarn/node.sock","page":"http://127.0.0.1:13580",
             "transports":[{"name":"tcp","address":"n1:40001","connections":3,"accepted":9,
               "refused":1,"requests":1200,"failures":2,"bytes":2500000000}],
             "notServed":{"ucx":"no libucp.so.0: install libucx0"},
             "nodeManagers":[{"name":"node-1f","shuffle":"n1:13562","connected":true,
               "jobs":["job_1_1","job_1_2"],
               "stores":[{"tier":"memory","folder":"/dev/shm/x","usedBytes":1500000,
                 "freeBytes":-1,"applications":2}],
               "cache":{}},
              {"name":"node-2e","shuffle":"n1:13563","connected":false,"jobs":[],"stores":[],
               "cache":{}}],
             "cache":{"hits":3,"misses":1,"hitRate":0.75,"currentBytes":262144}}
            """;

    @Test
    void showsAllThatAProcessTells() {
        assertThat(NodeStatusText.render(STATUS))
                .contains("Spillway 0.1.0: node process 4711, epoch 1700000000123")
                .contains("status page and metrics: http://127.0.0.1:13580")
                .containsPattern("tcp +n1:40001 +3 +1200 +2 +2500.0\\n")
                .contains("ucx is not served: no libucp.so.0: install libucx0")
                .containsPattern("node-1f +n1:13562 +connected +job_1_1 job_1_2\\n")
                .containsPattern("node-2e +n1:13563 +gone +-\\n")
                .containsPattern("memory +node-1f +1.5 +\\? +2 +/dev/shm/x\\n")
                .contains("read ahead: 75 % of 4 pieces came from memory; 0.3 MB in memory");
    }

    @Test
    void showsAProcessThatNobodyHasComeTo() {
        assertThat(NodeStatusText.render("{\"pid\":1,\"nodeManagers\":[]}"))
                .contains("no NodeManager's handler has come yet")
                .contains("no tiers in memory or NVM");
    }

    @Test
    void showsWhatAMemberHoldsAndWhatItsServiceKnows() {
        assertThat(
                        NodeStatusText.render(
                                """
                                {"pid":1,"nodeManagers":[],"member":{"service":"h:1",
                                 "answered":true,"capacityBytes":2000000,"usedBytes":1000000,
                                 "outputs":3,"puts":{"pieces":40,"bytes":900000,"commits":3,
                                   "aborts":1},
                                 "placement":{"settled":true,"nodes":[],"jobs":[],
                                   "totals":{"nodes":1,"granted":5}}}}
                                """))
                .contains("gives 2.0 MB to map outputs of all hosts, 1.0 MB in use")
                .contains("placement service h:1 answers")
                .contains(
                        "holds 3 outputs; 40 pieces of 0.9 MB were put since the start, 3 outputs")
                .contains("all 1 nodes", "5 granted, none refused");
    }

    @Test
    void saysThatAProcessIsDrained() {
        assertThat(NodeStatusText.render("{\"pid\":1,\"draining\":true,\"nodeManagers\":[]}"))
                .contains("drained: it takes no new map outputs");
        assertThat(NodeStatusText.render("{\"pid\":1,\"draining\":false,\"nodeManagers\":[]}"))
                .doesNotContain("drained");
    }

    @Test
    void namesAnAnswerThatIsNoJson() {
        assertThatThrownBy(() -> NodeStatusText.render("{"))
                .isInstanceOf(CommandException.class)
                .hasMessageContaining("answers with no JSON");
    }
}
