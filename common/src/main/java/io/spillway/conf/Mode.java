// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

import java.util.List;

/**
 * A published design, or ours: what {@code spillway.mode} chooses. A mode is a set of defaults for
 * the settings that are themselves {@code auto}.
 */
public enum Mode {
    /**
     * The best of what the node has: memory first, local disk behind it, no step that is not
     * needed.
     */
    AUTO("memory,disk", "memory,disk", false),

    /**
     * RDMA-based MapReduce (HPDIC'13), but for its map side, which is ours: spills on local disk.
     */
    RDMA("disk", "disk", true),

    /**
     * RMR-NVM (PDSW'16): spills in byte-addressable memory, always merged, output on local disk.
     */
    RDMA_NVM("nvm,disk", "disk", true),

    /**
     * Hadoop-A (SC'11), to compare with: the map side of rdma, nothing prefetched by the node, and
     * a levitated merge, whose windows are as large for one map as for another at all times.
     */
    HADOOP_A("disk", "disk", true);

    private final String spillTiers;
    private final String outputTiers;
    private final boolean alwaysMerges;

    Mode(final String spillTiers, final String outputTiers, final boolean alwaysMerges) {
        this.spillTiers = spillTiers;
        this.outputTiers = outputTiers;
        this.alwaysMerges = alwaysMerges;
    }

    /** Its name in configuration files, such as {@code rdma-nvm}. */
    public String text() {
        return ValueKind.Constant.nameOf(this);
    }

    /** Where spills go, in this order. */
    public List<String> spillTiers() {
        return List.of(spillTiers.split(","));
    }

    /** Where the map output goes, in this order. */
    public List<String> outputTiers() {
        return List.of(outputTiers.split(","));
    }

    /** The published designs pass over no tier that has become slow. */
    public TierPreference tierPreference() {
        return this == AUTO ? TierPreference.SPEED : TierPreference.ORDER;
    }

    /** The windows of a levitated merge are static. */
    public WindowSizing windowSizing() {
        return this == HADOOP_A ? WindowSizing.STATIC : WindowSizing.DEMAND;
    }

    /** Whether nodes read map outputs ahead of the reducers' requests. */
    public boolean prefetches() {
        return this != HADOOP_A;
    }

    /** Whether every record is spilled before it is merged into the map output, as in stock. */
    public boolean alwaysMerges() {
        return alwaysMerges;
    }

    @Override
    public String toString() {
        return text();
    }
}
