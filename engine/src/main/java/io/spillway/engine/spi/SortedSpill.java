package io.spillway.engine.spi;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.store.Spill;

/**
 * One spill and where its segments lie. Immutable.
 *
 * @param data the spilled bytes, in the store that took them
 * @param index the spill's segments, by partition
 * @param checksums of the segments' blocks; null where they are too many
 * @param longestKey no key of the spill is longer, in bytes
 */
public record SortedSpill(
        Spill data, MapOutputIndex index, BlockChecksums checksums, int longestKey) {}
