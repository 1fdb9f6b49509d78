// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.conf.Placement;
import io.spillway.conf.Sizes;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.node.NodeKeys;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.store.tier.StoreKeys;
import java.util.LinkedHashMap;
import java.util.Map;

/** The settings that make a forecast true: lines to paste. */
final class PlanSettings {
    /** Where Hadoop keeps local files, and with them the tier disk. */
    private static final String LOCAL_DIRS = "yarn.nodemanager.local-dirs";

    private static final int MIB_BITS = 20;

    private PlanSettings() {}

    /** Of jobs, or of the site's mapred-site.xml. */
    static Map<String, String> job(final Forecast forecast) {
        final Map<String, String> lines = new LinkedHashMap<>();
        lines.put(HadoopKeys.PLACEMENT.name(), forecast.placement().text());
        if (!forecast.placement().staysHere()) {
            lines.put(PlacementKeys.PLACEMENT_SERVICE.name(), "HOST:PORT");
        }
        if (forecast.layout().copies() > 1) {
            lines.put(
                    HadoopKeys.PLACEMENT_COPIES.name(), String.valueOf(forecast.layout().copies()));
        }
        lines.put(HadoopKeys.OUTPUT_TIERS.name(), tiers(forecast));
        return lines;
    }

    /** The tiers of outputs that stay; with every-node the node process has all the memory. */
    private static String tiers(final Forecast forecast) {
        return forecast.placement() == Placement.EVERY_NODE ? "disk" : "memory,disk";
    }

    /** Of each memory node. */
    static Map<String, String> memoryNode(final PlanInput input, final Forecast forecast) {
        final Map<String, String> lines = new LinkedHashMap<>();
        if (forecast.memoryNodes() > 0) {
            lines.put(NodeKeys.NODE_MEMORY_ONLY.name(), "true");
            lines.put(
                    ProtocolKeys.NODE_MEMORY_BYTES.name(), whole(HostCapacity.nodeSetting(input)));
        }
        return lines;
    }

    /** Of the hosts that compute. */
    static Map<String, String> computing(final PlanInput input, final Forecast forecast) {
        final Map<String, String> lines = new LinkedHashMap<>();
        if (!forecast.placement().staysHere()) {
            lines.put(HadoopKeys.NODE_LAUNCH.name(), "true");
        }
        if (forecast.layout().sharedBytes() > 0) {
            lines.put(
                    LOCAL_DIRS,
                    input.hosts().hasDisk() ? "OWN_FOLDER,SHARED_FOLDER" : "SHARED_FOLDER");
        }
        if (forecast.placement() == Placement.EVERY_NODE) {
            lines.put(
                    ProtocolKeys.NODE_MEMORY_BYTES.name(),
                    whole(HostCapacity.sharedSetting(input)));
            lines.put(StoreKeys.STORE_MEMORY_LIMIT.name(), "0");
        }
        return lines;
    }

    private static String whole(final double bytes) {
        return Sizes.format(((long) bytes >> MIB_BITS) << MIB_BITS);
    }
}
