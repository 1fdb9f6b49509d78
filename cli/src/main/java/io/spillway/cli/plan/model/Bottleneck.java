// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

/** What can bound a phase. */
public enum Bottleneck {
    /** The cores of the hosts that compute. */
    CPU("cores"),
    /** The task with the most work, on one core. */
    TASK("longest task"),
    /** The link of a host that computes, in its fuller direction. */
    LINK("link"),
    /** The link of a memory node, in its fuller direction. */
    NODE_LINK("memory nodes' link"),
    /** The cores of a memory node. */
    NODE_CPU("memory nodes' cores"),
    /** The own disks of the hosts that compute. */
    DISK("disk"),
    /** The shared file system. */
    SHARED_DISK("shared disk"),
    /** Starting tasks. */
    STARTS("task starts"),
    /** There is no room for the map outputs. */
    ROOM("does not fit");

    private final String label;

    Bottleneck(final String label) {
        this.label = label;
    }

    /** Its name in tables. */
    public String label() {
        return label;
    }
}
