// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.site.PlugIn;
import java.util.List;

/** Whether a NodeManager's properties name Spillway's handler, and name it rightly. */
public final class HandlerCheck implements Check {
    /** The name of this check. */
    public static final String NAME = "aux-service";

    private final SiteFacts site;

    /** For the properties of a configuration. */
    public HandlerCheck(final SiteFacts site) {
        this.site = site;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public List<Finding> look() {
        if (!site.list("yarn.nodemanager.aux-services").contains("mapreduce_shuffle")) {
            return List.of(
                    Finding.error(
                            "yarn.nodemanager.aux-services="
                                    + site.property("yarn.nodemanager.aux-services").orElse("")
                                    + ": no mapreduce_shuffle",
                            "NodeManagers serve no map outputs: every job with a reducer fails",
                            "add mapreduce_shuffle to it in yarn-site.xml"));
        }
        final String set = site.property(PlugIn.HANDLER_PROPERTY).orElse("");
        if (set.equals(PlugIn.HANDLER)) {
            return List.of();
        }
        if (set.startsWith("io.spillway.")) {
            return List.of(
                    Finding.error(
                            PlugIn.HANDLER_PROPERTY + "=" + set + ": no such class",
                            "a NodeManager with it does not start",
                            "set it to " + PlugIn.HANDLER));
        }
        return List.of(
                Finding.warning(
                        PlugIn.HANDLER_PROPERTY + "=" + set,
                        "reducers fetch over stock HTTP, and map outputs stay on disk",
                        "spillway conf --for yarn prints the property for yarn-site.xml"));
    }
}
