package io.spillway.transport;

import java.util.Locale;

/** Where a node keeps a map output: what a report of damage names beside the host. */
public enum StorageTier {
    /** The node does not say. */
    UNKNOWN(0),
    /** A local directory of the NodeManager. */
    DISK(1),
    /** The host's memory. */
    MEMORY(2),
    /** NVM. */
    NVM(3);

    private final int code;

    StorageTier(final int code) {
        this.code = code;
    }

    /** What stands for it on the wire. */
    public int code() {
        return code;
    }

    /** The tier with this code; {@link #UNKNOWN} for that of a newer node. */
    public static StorageTier ofCode(final int code) {
        for (final StorageTier tier : values()) {
            if (tier.code == code) {
                return tier;
            }
        }
        return UNKNOWN;
    }

    /**
     * The tier of a node's store folder, whose name begins with it.
     *
     * @param folder such as {@code memory-node-0a1b2c3d}
     */
    public static StorageTier ofFolder(final String folder) {
        for (final StorageTier tier : values()) {
            if (folder.startsWith(tier + "-")) {
                return tier;
            }
        }
        return UNKNOWN;
    }

    /** The name that settings have for it. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
