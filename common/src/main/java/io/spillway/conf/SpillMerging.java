// SPDX-License-Identifier: Apache-2.0
package io.spillway.conf;

/** What becomes of a map's spills when the map ends: {@code spillway.spill.merge}. */
public enum SpillMerging {
    /** Every record is spilled, and all spills are merged into one output, as in stock. */
    ALWAYS,

    /** The spills are the output, where reducers can read it so. */
    NEVER
}
