// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.util.List;
import java.util.Set;

/** Whether a NodeManager takes containers, by what the ResourceManager says. */
final class ManagerStateCheck implements Check {
    /** What an administrator has done. */
    private static final Set<String> MEANT =
            Set.of("DECOMMISSIONED", "DECOMMISSIONING", "SHUTDOWN");

    private final ClusterNode node;

    ManagerStateCheck(final ClusterNode node) {
        this.node = node;
    }

    @Override
    public String name() {
        return "node-manager";
    }

    @Override
    public List<Finding> look() {
        if (node.isRunning() || MEANT.contains(node.state())) {
            return List.of();
        }
        return List.of(
                Finding.error(
                        "the ResourceManager has it as "
                                + node.state()
                                + (node.health().isBlank() ? "" : ": " + node.health().strip()),
                        "it runs nothing, and what it holds of running jobs runs again",
                        "look into its log, mend what is named, and start it again"));
    }
}
