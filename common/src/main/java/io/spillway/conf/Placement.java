// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/**
 * Where map outputs go: what {@code spillway.placement} chooses. The names are those of the
 * deployments of SEMem (Euro-Par 2017).
 */
public enum Placement {
    /** Into the tiers of the map's own host. */
    LOCAL,

    /** Into the memory of the map's own host, and to its disk where that is full. */
    RAMDISK,

    /** Into the memory that all node processes give. */
    EVERY_NODE,

    /** Into the memory of hosts that run no tasks. */
    DEDICATED,

    /** Into the memory of the map's own host; where that is full, into that of others. */
    AUTO;

    /** Whether outputs go to no other host. */
    public boolean staysHere() {
        return this == LOCAL || this == RAMDISK;
    }

    /** Its name in configuration files, such as {@code every-node}. */
    public String text() {
        return ValueKind.Constant.nameOf(this);
    }

    @Override
    public String toString() {
        return text();
    }
}
