// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.settings;

/**
 * What the map side is set to. Immutable.
 *
 * @param sortBytes the sort buffer, in bytes
 * @param partitions the number of reducers
 * @param profilesStages whether the report tells read, map and collect apart
 * @param alwaysMerges whether every record is spilled and merged, as a published mode does
 * @param mostRuns in how many runs the output may be left
 * @param shortRuns how many spills may be shorter than the sort buffer allows, where they are not
 *     merged
 * @param shortRunBytes the length of such a spill
 * @param blockLength the bytes of output that have a checksum of their own
 * @param minSpillsForCombine the number of spills from which the final merge combines
 * @param mergeFactor the most runs with a codec that are merged at a time
 * @param combinesByHash whether records to be combined are grouped by their keys' hash
 */
public record SpillSettings(
        int sortBytes,
        int partitions,
        boolean profilesStages,
        boolean alwaysMerges,
        int mostRuns,
        int shortRuns,
        int shortRunBytes,
        int blockLength,
        int minSpillsForCombine,
        int mergeFactor,
        boolean combinesByHash) {}
