// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.run.JobFigures;
import io.spillway.cli.run.Monitor;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.OutputCheck;
import io.spillway.lab.compare.workload.TeraSortWorkload;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** A cluster whose node processes are ranks of an MPI world: jobs, and what a dead rank costs. */
class MpiClusterIT {
    private static final long MIB = 1L << 20;
    private static final String ALL_MAPS = "map 100 %";
    private static final EngineConfig DEDICATED = EngineConfig.parse("dedicated@mpi");
    private static final EngineConfig EVERY_NODE = EngineConfig.parse("every-node@mpi");

    /** Reducers begin when all maps have ended. */
    private static final Map<String, String> LATE_REDUCERS =
            Map.of("mapreduce.job.reduce.slowstart.completedmaps", "1.0");

    private static LocalCluster cluster;

    @BeforeAll
    static void start() {
        assumeTrue(hasMpi(), "no launcher of MPI here");
        cluster =
                Clusters.start(
                        ClusterSpec.defaults()
                                .withName("it-mpi")
                                .withMemory(new ClusterMemoryNodes(2, 64 * MIB))
                                .withMpirun(Mpirun.ANY));
    }

    private static boolean hasMpi() {
        try {
            Mpirun.find(Mpirun.ANY, System.getenv("PATH"));
            return true;
        } catch (final IOException e) {
            return false;
        }
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    @Test
    void jobsPutAndFetchOverMpiAndOutliveTheWorld() {
        assertThat(cluster.status().isComplete()).isTrue();
        final AtomicBoolean killed = new AtomicBoolean();
        final ComparisonResult result =
                Clusters.compare(
                        cluster,
                        cluster,
                        new TeraSortWorkload(),
                        24 * MIB,
                        OutputCheck.NONE,
                        LATE_REDUCERS,
                        List.of(EngineConfig.parse("stock"), DEDICATED, EVERY_NODE),
                        killsARank(killed));

        assertThat(result.disagreements()).isEmpty();
        assertThat(result.outputsIdentical()).isTrue();

        final JobFigures overMpi = figures(result, DEDICATED);
        assertThat(Clusters.figure(overMpi, ShuffleCounter.OUTPUT_REMOTE_BYTES))
                .isGreaterThan(20 * MIB);
        assertThat(Clusters.figure(overMpi, ShuffleCounter.FETCH_MPI_BYTES))
                .isGreaterThan(20 * MIB);
        assertThat(Clusters.figure(overMpi, ShuffleCounter.TRANSPORT_FALLBACKS)).isZero();

        final JobFigures withoutWorld = figures(result, EVERY_NODE);
        assertThat(killed).isTrue();
        assertThat(cluster.status().daemons())
                .filteredOn(daemon -> daemon.name().equals(ClusterWorld.NAME))
                .singleElement()
                .satisfies(world -> assertThat(world.pid()).isEmpty());
        // The maps whose outputs died with the ranks; they ran again, and had no nodes to put them
        // at.
        assertThat(jobCounter(withoutWorld, "NUM_KILLED_MAPS", "NUM_FAILED_MAPS")).isPositive();
        assertThat(jobCounter(withoutWorld, "NUM_FAILED_REDUCES")).isZero();
    }

    /** Kills a rank when all maps of the last job have ended, before its reducers have started. */
    private static Monitor killsARank(final AtomicBoolean killed) {
        return (name, total) ->
                new Monitor.Task() {
                    @Override
                    public void at(final long done, final String detail) {
                        if (name.contains(EVERY_NODE.label())
                                && detail.startsWith(ALL_MAPS)
                                && killed.compareAndSet(false, true)) {
                            cluster.daemons().killMemoryNode(1);
                        }
                    }
                };
    }

    private static JobFigures figures(final ComparisonResult result, final EngineConfig engine) {
        return result.runs().stream()
                .filter(run -> run.engine().equals(engine))
                .findFirst()
                .orElseThrow()
                .figures();
    }

    private static long jobCounter(final JobFigures job, final String... names) {
        long sum = 0;
        for (final String name : names) {
            sum += job.counter("org.apache.hadoop.mapreduce.JobCounter", name).total();
        }
        return sum;
    }
}
