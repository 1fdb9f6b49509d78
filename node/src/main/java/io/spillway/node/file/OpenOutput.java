package io.spillway.node.file;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;

/**
 * A map output, or a run of one, with its open file.
 *
 * @param jobId the job
 * @param attempt the map attempt
 * @param file the data; the creator of this record holds a reference on it
 * @param index where its segments lie
 * @param checksums of the blocks of its segments; null where its map wrote none
 * @param counts the records of its segments
 */
public record OpenOutput(
        String jobId,
        String attempt,
        OpenFile file,
        MapOutputIndex index,
        BlockChecksums checksums,
        RecordCounts counts) {}
