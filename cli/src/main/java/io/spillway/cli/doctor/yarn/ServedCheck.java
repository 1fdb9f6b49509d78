// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.yarn;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.site.PlugIn;
import io.spillway.store.tier.StoreKeys;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether the handler that a NodeManager has loaded serves what its configuration promises. */
final class ServedCheck implements Check {
    private static final String MEMORY = "memory";

    private final ManagerFacts manager;

    ServedCheck(final ManagerFacts manager) {
        this.manager = manager;
    }

    @Override
    public String name() {
        return "handler";
    }

    @Override
    public List<Finding> look() {
        final boolean isOurs =
                manager.configuration()
                        .property(PlugIn.HANDLER_PROPERTY)
                        .filter(PlugIn.HANDLER::equals)
                        .isPresent();
        if (!isOurs) {
            return List.of(); // another check says so
        }
        final List<Finding> findings = new ArrayList<>();
        if (!manager.serves()) {
            findings.add(
                    Finding.error(
                            "its handler serves stock HTTP only",
                            "reducers fetch over HTTP, and map outputs stay on disk",
                            "its log has the reason in the line 'Serving stock HTTP only'; correct"
                                    + " that setting and restart it"));
        } else if (!isWithoutMemory() && manager.tierLimit(MEMORY).orElse(0) == 0) {
            findings.add(
                    Finding.warning(
                            "it offers no memory tier",
                            "map outputs go to its local directories",
                            "its log has the reason in the line 'No memory tier'"
                                    + " (docs/operating.md, Memory for map output)"));
        }
        return findings;
    }

    private boolean isWithoutMemory() {
        return manager.configuration()
                .property(StoreKeys.STORE_MEMORY_LIMIT.name())
                .equals(Optional.of("0"));
    }
}
