package io.spillway.hadoop.job;

import io.spillway.conf.SpillwayKeys;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.SegmentWriter;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.TaskType;

/**
 * The blocks of map output that have a checksum each. A reducer can verify what it fetches only in
 * whole blocks, so a block is no longer than the pieces in which reducers fetch. Those depend on
 * the reducers' heap, which a map can only estimate: it takes three quarters of what the job's
 * configuration says, as the heap that a JVM reports is a little smaller than that.
 */
public final class BlockLength {
    private static final int PERCENT_OF_HEAP = 75;

    private BlockLength() {}

    /** The length of a block in bytes for the maps of a job. */
    public static int of(final JobConf conf) {
        final Function<String, String> lookup = conf::getTrimmed;
        final long heap = heapOfReducers(conf);
        final int window =
                WindowLength.of(
                        WindowLength.budget(lookup, heap, RunsPerMap.of(conf).most()),
                        conf.getNumMapTasks() * RunsPerMap.of(conf).most(),
                        SpillwayKeys.SHUFFLE_WINDOW_MIN.get(lookup),
                        SpillwayKeys.SHUFFLE_WINDOW_MAX.get(lookup));
        return Math.max(
                BlockChecksums.MIN_BLOCK_LENGTH,
                Math.min(window == 0 ? smallest(lookup) : window, SegmentWriter.BLOCK_LENGTH));
    }

    /** The smallest window that is a power of two. */
    private static int smallest(final Function<String, String> lookup) {
        final long least = SpillwayKeys.SHUFFLE_WINDOW_MIN.get(lookup);
        return (int) Long.highestOneBit(2 * least - 1);
    }

    private static long heapOfReducers(final JobConf conf) {
        final long megabytes =
                JobConf.parseMaximumHeapSizeMB(conf.getTaskJavaOpts(TaskType.REDUCE));
        final long heap = megabytes > 0 ? megabytes << 20 : Runtime.getRuntime().maxMemory();
        return heap * PERCENT_OF_HEAP / 100;
    }
}
