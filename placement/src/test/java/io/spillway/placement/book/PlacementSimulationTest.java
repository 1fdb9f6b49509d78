// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.placement.message.LeasePolicy;
import io.spillway.transport.FetchException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * A cluster of 2,000 hosts and 64 memory nodes places a million outputs: how evenly, and without a
 * lease beyond any capacity. How fast is printed, and measured by {@code PlacementBenchmark}.
 */
final class PlacementSimulationTest {
    private static final int HOSTS = 2_000;
    private static final int MEMORY_NODES = 64;
    private static final int OUTPUTS = 1_000_000;

    @Test
    void dedicatedNodesOfOneSize() throws FetchException {
        check(new SimulatedCluster(HOSTS, 0, MEMORY_NODES, false), LeasePolicy.DEDICATED);
    }

    @Test
    void dedicatedNodesOfManySizes() throws FetchException {
        check(new SimulatedCluster(HOSTS, 0, MEMORY_NODES, true), LeasePolicy.DEDICATED);
    }

    @Test
    void everyNode() throws FetchException {
        final long perHost = SimulatedCluster.EXPECTED_BYTES / HOSTS;
        check(new SimulatedCluster(HOSTS, perHost, MEMORY_NODES, false), LeasePolicy.EVERY_NODE);
    }

    private static void check(final SimulatedCluster cluster, final LeasePolicy policy)
            throws FetchException {
        final long start = cpuNanos();
        long cpu = 0;
        int placed = 0;
        for (int done = 0; done < OUTPUTS; done += SimulatedCluster.WAVE) {
            final long before = cpuNanos();
            placed += cluster.lease(policy, SimulatedCluster.WAVE);
            cpu += cpuNanos() - before;
            cluster.commitAndReport();
        }
        System.out.printf(
                Locale.ROOT,
                "%s: %.0f decisions/s of CPU, %.0f with the reports of %d nodes and the"
                        + " simulation's own work; imbalance %.2f %%; %d questions of tasks, %d"
                        + " reports%n",
                policy,
                OUTPUTS / (cpu / 1e9),
                OUTPUTS / ((cpuNanos() - start) / 1e9),
                cluster.nodes().size(),
                100 * imbalance(cluster.nodes()),
                cluster.questions(),
                cluster.reports());
        assertThat(placed).isEqualTo(OUTPUTS);
        assertThat(cluster.book().status().service().refusedInAll())
                .as("no second question")
                .isZero();
        assertThat(cluster.book().status().service().granted()).isEqualTo(OUTPUTS);
        for (final TestNode node : cluster.nodes()) {
            assertThat(node.used()).as("%s", node.identity).isLessThanOrEqualTo(node.capacity());
        }
        assertThat(imbalance(cluster.nodes())).isLessThanOrEqualTo(0.05);
    }

    /** How much fuller, or emptier, a node is than all of them together. */
    private static double imbalance(final List<TestNode> nodes) {
        final double all =
                (double) nodes.stream().mapToLong(TestNode::used).sum()
                        / nodes.stream().mapToLong(TestNode::capacity).sum();
        return nodes.stream()
                .filter(node -> node.capacity() > 0)
                .mapToDouble(node -> (double) node.used() / node.capacity())
                .map(fill -> Math.abs(fill - all) / all)
                .max()
                .orElseThrow();
    }

    private static long cpuNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }
}
