package io.spillway.node.file;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;

/**
 * A map output, or a run of one, with its open file.
 *
 * @param jobId the job
 * @param attempt the map attempt
 * @param file the data; the creator of this record holds a reference on it
 * @param index where its segments lie
 * @param checksums of the blocks of its segments; null where its map wrote none
 */
public record OpenOutput(
        String jobId,
        String attempt,
        OpenFile file,
        MapOutputIndex index,
        BlockChecksums checksums) {}
