// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.cluster;

import io.spillway.lab.hosts.HostPlan;
import io.spillway.lab.process.CommandOwner;
import java.util.Random;

/** Clusters that are written down and never started. */
final class ClusterStates {
    private ClusterStates() {}

    static ClusterState of(final ClusterSpec spec) {
        final int memoryNodes = spec.memory().count();
        return new ClusterState(
                "id",
                spec,
                ClusterSize.of(2, 24_000, spec.nodes(), spec.slots(), spec.heapMb()),
                ClusterPorts.pick(new Ports(new Random(1)), spec.nodes(), memoryNodes),
                "/plug-in.jar",
                spec.emulatesHosts() ? new HostPlan(spec.hostCount(), 1) : null,
                CommandOwner.ofThisProcess());
    }
}
