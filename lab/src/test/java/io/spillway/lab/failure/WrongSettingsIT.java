// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.FailureReport;
import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.JobResult;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.report.ShuffleCounter;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Settings that hold nonsense, and a class path without the jar. */
@ExtendWith(OnFailureSite.class)
class WrongSettingsIT {
    private static final int WRONG_NODE = 1;
    private static final int BARE_NODE = 2;

    /**
     * All nodes are on one host here, and Hadoop blacklists hosts: it would keep the job from the
     * good node as well.
     */
    private static final Map<String, String> NO_BLACKLIST =
            Map.of(
                    "yarn.app.mapreduce.am.job.node-blacklisting.enable",
                    "false",
                    "mapreduce.map.maxattempts",
                    "30",
                    "mapreduce.reduce.maxattempts",
                    "30");

    private final FailureSite site;

    WrongSettingsIT(final FailureSite site) {
        this.site = site;
    }

    @Test
    void aWrongSettingOfAJobIsNamedAndTheStockEngineTakesOver() {
        final Map<String, String> properties = new TreeMap<>(FailureSite.FEW_MAPS);
        properties.put("spillway.spill.tiers", "tape");
        final JobFigures job = site.runAndCompare(properties);

        assertThat(Figures.of(job, ShuffleCounter.STOCK_FALLBACKS)).isEqualTo(job.reduces());
        assertThat(
                        site.taskLogLines(
                                job.jobId(),
                                "Using the stock shuffle: spillway.spill.tiers=tape: expected"))
                .hasSize(job.reduces());
        assertThat(
                        site.taskLogLines(
                                job.jobId(),
                                "spillway.spill.tiers=tape: expected comma-separated list, any of"
                                        + " auto, heap, memory, nvm, disk, lustre"))
                .hasSizeGreaterThanOrEqualTo(job.maps());
        assertThat(
                        site.taskLogLines(
                                job.jobId(),
                                "Map output collector class ="
                                        + " org.apache.hadoop.mapred.MapTask$MapOutputBuffer"))
                .hasSize(job.maps());
    }

    /** Hadoop itself refuses to run tasks of MapReduce on a node without the service. */
    @Test
    void aNodeWithAWrongSettingAndOneWithoutTheServiceAreNamedAndTheJobGoesOn() {
        final LocalCluster cluster = site.cluster();
        restart(WRONG_NODE, Map.of("spillway.node.max.connections", "many"));
        restart(BARE_NODE, Map.of("yarn.nodemanager.aux-services", ""));
        try {
            // Several spills a map: none may be left unmerged where stock serves them.
            final Map<String, String> properties = new TreeMap<>(NO_BLACKLIST);
            properties.put("mapreduce.task.io.sort.mb", "1");
            final JobFigures job = site.runAndCompare(properties);

            assertThat(Figures.of(job, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isZero();
            assertThat(Figures.of(job, ShuffleCounter.FETCH_HTTP_BYTES)).isPositive();
            assertThat(cluster.status().isComplete()).isTrue();
            assertThat(
                            site.nodeLogLines(
                                    WRONG_NODE,
                                    "Serving stock HTTP only: spillway.node.max.connections=many:"
                                            + " expected integer, 1 to 1000000"))
                    .hasSize(1);
            assertThat(
                            site.taskLogLines(
                                    job.jobId(), "auxService:mapreduce_shuffle does not exist"))
                    .isNotEmpty();
        } finally {
            restart(WRONG_NODE, Map.of());
            restart(BARE_NODE, Map.of());
        }
    }

    private void restart(final int node, final Map<String, String> properties) {
        site.cluster().daemons().killNodeManager(node);
        site.cluster().daemons().restartNodeManager(node, properties);
    }

    @Test
    void aJobWithoutTheJarFailsCleanlyAndNamesTheClass() {
        final LocalCluster cluster = site.cluster();
        final Map<String, String> withoutJar =
                Map.of(
                        "mapreduce.application.classpath",
                        String.join(",", cluster.clientClassPath()),
                        "mapreduce.map.maxattempts",
                        "1");
        final JobResult result =
                site.run(
                        cluster,
                        site.spillway(site.newPath("out"))
                                .with(FailureSite.PLAIN_JVMS)
                                .with(FailureSite.FEW_MAPS)
                                .with(withoutJar));

        assertThat(result.succeeded()).isFalse();
        assertThat(new FailureReport(cluster).describe("the job", result))
                .contains("ClassNotFoundException")
                .contains("io.spillway.hadoop.SpillwayCollector");
        assertThat(cluster.status().isComplete()).isTrue();
    }
}
