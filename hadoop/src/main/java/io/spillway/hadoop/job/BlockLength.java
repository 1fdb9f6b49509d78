// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.engine.settings.WindowLength;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.SegmentWriter;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;

/**
 * The blocks of map output that have a checksum each. A reducer can verify what it fetches only in
 * whole blocks, so a block is no longer than the pieces in which reducers fetch. Those depend on
 * the reducers' heap, which a map can only estimate: it takes three quarters of what the job's
 * configuration says, as the heap that a JVM reports is a little smaller than that.
 */
public final class BlockLength {
    private BlockLength() {}

    /** The length of a block in bytes for the maps of a job. */
    public static int of(final JobConf conf) {
        final Function<String, String> lookup = new Lookup(conf);
        final int maps = conf.getNumMapTasks();
        final int runs = RunsPerMap.of(conf).most();
        final long heap = PlannedWindows.plannedHeap(conf);
        final int window =
                WindowLength.of(lookup, WindowLength.budget(lookup, heap, maps, runs), maps, runs);
        return Math.max(
                BlockChecksums.MIN_BLOCK_LENGTH,
                Math.min(
                        Math.max(window, WindowLength.smallest(lookup)),
                        SegmentWriter.BLOCK_LENGTH));
    }
}
