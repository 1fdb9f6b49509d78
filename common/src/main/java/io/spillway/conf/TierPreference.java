// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/** Which tier of a chain takes a spill: {@code spillway.tier.selection}. */
public enum TierPreference {
    /** The first that has room. */
    ORDER,

    /** The first that has room and is not slow. */
    SPEED
}
