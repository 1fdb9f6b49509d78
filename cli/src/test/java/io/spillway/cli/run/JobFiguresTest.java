// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures.CounterValue;
import io.spillway.cli.run.JobStages.TaskTime;
import io.spillway.cli.site.ServiceCpu;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JobFiguresTest {
    private static final String TASKS = "org.apache.hadoop.mapreduce.TaskCounter";

    private static JobFigures job(
            final String id, final long submitted, final int maps, final long meanMap) {
        return new JobFigures(
                id,
                "job",
                "SUCCEEDED",
                submitted,
                1000,
                maps,
                1,
                new JobStages(1, 10, 3, 4, 5, meanMap, 7, 8, 9, List.of(new TaskTime(true, 1, 11))),
                Optional.of(new MapStages(maps, 10, 20, List.of((long) maps))),
                List.of(),
                Map.of(
                        TASKS,
                        Map.of(
                                "CPU_MILLISECONDS",
                                new CounterValue(maps, 1, maps + 1L),
                                "MAP_PHYSICAL_MEMORY_BYTES_MAX",
                                new CounterValue(meanMap, 0, meanMap))),
                ServiceCpu.UNKNOWN);
    }

    @Test
    void aChainIsAddedUp() {
        final JobFigures chain =
                JobFigures.ofChain(List.of(job("job_1", 100, 3, 40), job("job_2", 700, 1, 80)));

        assertThat(chain.jobId()).isEqualTo("job_2");
        assertThat(chain.submitted()).isEqualTo(100);
        assertThat(chain.wallMillis()).isEqualTo(1600);
        assertThat(chain.maps()).isEqualTo(4);
        final List<TaskTime> tasks =
                List.of(new TaskTime(true, 1, 11), new TaskTime(true, 601, 611));
        assertThat(chain.stages()).isEqualTo(new JobStages(2, 20, 6, 8, 10, 50, 7, 8, 9, tasks));
        assertThat(chain.mapStages()).contains(new MapStages(4, 20, 40, List.of(1L, 3L)));
        assertThat(chain.cpuMillis()).isEqualTo(new CounterValue(4, 2, 6));
        assertThat(chain.task("MAP_PHYSICAL_MEMORY_BYTES_MAX").total()).isEqualTo(80);
    }

    @Test
    void oneJobIsWhatItIs() {
        final JobFigures only = job("job_1", 100, 3, 40);

        assertThat(JobFigures.ofChain(List.of(only))).isSameAs(only);
    }
}
