// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

/** What the reducer does with a group. */
enum ReduceStyle {
    /** Writes every record, key by key as it sees them. */
    ALL,
    /** Writes the sum of the values (longs). */
    SUM,
    /** Writes the distinct values. */
    DISTINCT,
    /** Writes the values (texts) one after the other, as one. */
    LINKED,
    /** Takes no, one, a few or all values of a group and writes how many it took. */
    PARTIAL,
    /** Goes through a part of the values twice, by mark and reset (new API). */
    MARK_RESET,
    /** Returns after a few groups and leaves the rest unread (new API). */
    STOPS_EARLY,
    /** Throws in the middle of a group. */
    THROWS
}
