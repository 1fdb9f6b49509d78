// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.LeasePolicy;
import io.spillway.transport.FetchException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Leases places for a million outputs in a cluster of 2,000 hosts and 64 memory nodes, and takes
 * the nodes' reports of what they were put in between; one decision is one operation.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
        value = 2,
        jvmArgs = {"-Xms1500m", "-Xmx1500m", "-XX:+UseParallelGC"})
@Warmup(iterations = 2)
@Measurement(iterations = 5)
public class PlacementBenchmark {
    private static final int HOSTS = 2_000;
    private static final int MEMORY_NODES = 64;
    private static final int OUTPUTS = 1_000_000;

    /** Which nodes are chosen from. */
    @Param({"DEDICATED", "EVERY_NODE"})
    private LeasePolicy policy;

    private SimulatedCluster cluster;

    /** Starts an empty cluster. */
    @Setup(Level.Invocation)
    public void start() throws FetchException {
        final long perHost =
                policy == LeasePolicy.EVERY_NODE ? SimulatedCluster.EXPECTED_BYTES / HOSTS : 0;
        cluster = new SimulatedCluster(HOSTS, perHost, MEMORY_NODES, false);
    }

    /** Leases, commits and reports. */
    @Benchmark
    @OperationsPerInvocation(OUTPUTS)
    public int place() throws FetchException {
        int placed = 0;
        for (int done = 0; done < OUTPUTS; done += SimulatedCluster.WAVE) {
            placed += cluster.lease(policy, SimulatedCluster.WAVE);
            cluster.commitAndReport();
        }
        return placed;
    }
}
