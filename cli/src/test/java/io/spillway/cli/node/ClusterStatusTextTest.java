// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClusterStatusTextTest {
    private static final String STATUS =
            """
            {"service":"mem01:13590","settled":true,"intervalMillis":1000,"highWater":0.95,
             "totals":{"nodes":3,"memoryNodes":2,"capacityBytes":300000000,"usedBytes":90000000,
               "leasedBytes":15000000,"outputs":44,"jobs":2,"leases":3,"granted":47,
               "refused":{"no_room":0,"job_quota":5,"user_quota":1,"leases":0,"unknown_job":0}},
             "jobLimitBytes":150000000,"userLimitBytes":null,
             "nodes":[{"name":"mem01:/x","address":"mem01:13590","epoch":17,"state":"ok",
                 "memoryOnly":true,"capacityBytes":200000000,"usedBytes":90000000,
                 "leasedBytes":10000000,"outputs":40,"silentMillis":320},
               {"name":"h1:/x","address":"h1:40001","epoch":18,"state":"none","memoryOnly":false,
                 "capacityBytes":0,"usedBytes":0,"leasedBytes":0,"outputs":0,"silentMillis":90},
               {"name":"mem02:/x","address":"mem02:13590","epoch":19,"state":"late",
                 "memoryOnly":true,"capacityBytes":100000000,"usedBytes":0,
                 "overflowCapacityBytes":500000000,"overflowUsedBytes":12000000,
                 "leasedBytes":5000000,"outputs":4,"silentMillis":7000}],
             "jobs":[{"id":"job_1_1","user":"alice","bytes":90000000,"outputs":44,"refused":6},
               {"id":"job_1_2","user":"","bytes":0,"outputs":0,"refused":0}],
             "users":[{"name":"alice","bytes":90000000},{"name":"bob","bytes":0}]}
            """;

    @Test
    void showsNodesJobsAndSums() {
        assertThat(ClusterStatusText.render(STATUS))
                .startsWith("placement service mem01:13590\n")
                .containsPattern(
                        "mem01:13590 +17 +only stores +ok +\\[#{10}\\.{10}] +50 % +90.0 +10.0"
                                + " +200.0 +- +40 +0.3 s ago\n")
                .containsPattern("h1:40001 +18 +runs tasks +none +gives none ")
                .containsPattern(
                        "mem02:13590 +19 +only stores +late +\\[#\\.{19}] +5 % +0.0 +5.0"
                                + " +100.0 +12.0 of 500.0 +4 ")
                .containsPattern("job_1_1 +alice +90.0 +44 +6\n")
                .containsPattern("job_1_2 +\\? +0.0 +0 +0\n")
                .containsPattern("\nalice +90.0\n")
                .contains(
                        "all 3 nodes (2 only store): [#######.............]  35 %, 90.0 MB used and"
                                + " 15.0 MB leased of 300.0 MB, 44 outputs, 2 jobs\n")
                .contains(
                        "places since the start: 47 granted, refused: 5 job_quota, 1 user_quota\n")
                .contains("a job may take 150.0 MB\n")
                .doesNotContain("a user may take", "may not know");
    }

    @Test
    void saysThatAServiceHasStartedOnlyNow() {
        assertThat(
                        ClusterStatusText.render(
                                "{\"service\":\"h:1\",\"settled\":false,\"nodes\":[],"
                                        + "\"jobs\":[],\"totals\":{}}"))
                .contains("no nodes\n", "no jobs\n", "none refused")
                .contains("it may not know all nodes and jobs yet");
    }
}
