// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import java.util.ArrayList;
import java.util.List;

/** Whether other properties take Spillway's place, or the memory tier's. */
final class ConflictsCheck implements Check {
    private static final String EXECUTOR = "yarn.nodemanager.container-executor.class";

    private final SiteFacts site;

    ConflictsCheck(final SiteFacts site) {
        this.site = site;
    }

    @Override
    public String name() {
        return "conflicts";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        if (!site.stockReason().isEmpty()) {
            findings.add(
                    Finding.warning(
                            "jobs use Hadoop's own shuffle: " + site.stockReason(),
                            "nothing of Spillway runs in them",
                            "change that setting, or leave it: such jobs run as without Spillway"));
        }
        site.property(EXECUTOR)
                .filter(executor -> executor.contains("LinuxContainerExecutor"))
                .ifPresent(
                        executor ->
                                findings.add(
                                        Finding.note(
                                                EXECUTOR + "=" + executor,
                                                "tasks run as their users: outputs of those who are"
                                                        + " not the NodeManager's user go to disk",
                                                "nothing has to be changed (docs/operating.md, Who"
                                                        + " may do what)")));
        return findings;
    }
}
