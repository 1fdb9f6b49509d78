// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobResult;
import io.spillway.cli.site.HadoopSite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Jobs whose maps and reducers share one JVM: there is nothing to fetch. */
@ExtendWith(OnFailureSite.class)
class OneProcessIT {
    private static final Map<String, String> ONE_REDUCER = Map.of(FailureSite.JOB_REDUCES, "1");

    private final FailureSite site;

    OneProcessIT(final FailureSite site) {
        this.site = site;
    }

    @Test
    void theLocalRunnerAndAnUberJobGiveTheSameOutputAsStock() throws IOException {
        final HadoopSite local = site.singleProcess();

        final Path ofLocalRunner = site.newPath("out");
        final JobResult localRun = site.run(local, site.spillway(ofLocalRunner).with(ONE_REDUCER));
        FailureSite.assertSucceeded(local, localRun);
        site.assertEqualsStock(ofLocalRunner, 1);
        assertThat(Files.readString(localRun.log()))
                .contains("Map output collector class = io.spillway.hadoop.SpillwayCollector")
                .contains("Using the stock shuffle: map outputs are local files");

        final Path ofUberJob = site.newPath("out");
        final JobResult uber =
                site.run(
                        site.cluster(),
                        site.spillway(ofUberJob)
                                .with(ONE_REDUCER)
                                .with(Map.of("mapreduce.job.ubertask.enable", "true")));
        FailureSite.assertSucceeded(site.cluster(), uber);
        site.assertEqualsStock(ofUberJob, 1);
        assertThat(Files.readString(uber.log())).contains("running in uber mode : true");
        assertThat(
                        site.taskLogLines(
                                uber.lastJobId(),
                                "Map output collector class ="
                                        + " io.spillway.hadoop.SpillwayCollector"))
                .hasSize(FailureSite.DATA_MAPS + 1);
    }
}
