// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/** The tiers that messages between nodes and tasks name by themselves. */
public enum WireTier implements TierName {
    /** A tier of which nothing is known. */
    UNKNOWN(NOT_SERVED),
    /** The framework's local directories. */
    DISK(1),
    /** Memory, as files or as pieces that a node holds. */
    MEMORY(2);

    private final int code;

    WireTier(final int code) {
        this.code = code;
    }

    @Override
    public String label() {
        return switch (this) {
            case UNKNOWN -> "unknown";
            case DISK -> "disk";
            case MEMORY -> "memory";
        };
    }

    @Override
    public int code() {
        return code;
    }
}
