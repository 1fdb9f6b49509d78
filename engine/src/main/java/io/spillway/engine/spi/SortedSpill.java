// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.store.Spill;

/**
 * One spill and where its segments lie. Immutable.
 *
 * @param data the spilled bytes, in the store that took them
 * @param index the spill's segments, by partition
 * @param checksums of the segments' blocks; null where they are too many
 * @param longestKey no key of the spill is longer, in bytes
 * @param counts the records of each segment
 * @param records of all segments
 * @param combinedAway how many more records were collected for it: what combiners made fewer, less
 *     what they made more
 */
public record SortedSpill(
        Spill data,
        MapOutputIndex index,
        BlockChecksums checksums,
        int longestKey,
        RecordCounts counts,
        long records,
        long combinedAway) {
    /** The same segments in another place. */
    public SortedSpill at(final Spill copy) {
        return new SortedSpill(copy, index, checksums, longestKey, counts, records, combinedAway);
    }
}
