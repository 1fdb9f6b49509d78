// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.conf.CommonKeys;
import io.spillway.conf.SpillMerging;
import io.spillway.hadoop.combine.Combiner;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import java.util.Optional;
import java.util.function.Function;
import org.apache.hadoop.mapred.JobConf;

/**
 * How many sorted runs a map of a job may leave its output in, instead of merging them into one.
 * Maps and reducers compute it alike: maps leave no more, reducers have memory for that many.
 * Immutable.
 *
 * <p>One only where a reducer could need a single file: where it is not Spillway's, may fall back
 * to stock's, runs in the same process as the maps, or would need a decoder for each run.
 *
 * @param most runs, at least 1
 */
public record RunsPerMap(int most) {
    /** Beyond this, a map's own merge costs less than the reducers' many cursors. */
    static final int MOST = 8;

    /** A judgement: many more streams and the reducers' merge misses the processor's caches. */
    static final int MOST_STREAMS = 256;

    /** With merge=never: what the smallest windows still leave room for. */
    static final int MOST_STREAMS_UNMERGED = 2048;

    /** Of a job, from its configuration or a task's. */
    public static RunsPerMap of(final JobConf conf) {
        return new RunsPerMap(mayLeaveRuns(conf) ? most(conf) : 1);
    }

    private static boolean mayLeaveRuns(final JobConf conf) {
        return !conf.getCompressMapOutput() && SpillwayReducers.areSureOf(conf);
    }

    private static int most(final JobConf conf) {
        final Function<String, String> lookup = new Lookup(conf);
        final Optional<SpillMerging> merging = HadoopKeys.SPILL_MERGE.get(lookup);
        if (merging.isPresent()) {
            return switch (merging.get()) {
                case NEVER -> most(conf, MOST_STREAMS_UNMERGED);
                case ALWAYS -> 1;
            };
        }
        // A merge with a combiner makes the output smaller: that is what it is for.
        final boolean merges = CommonKeys.MODE.get(lookup).alwaysMerges() || Combiner.isSetIn(conf);
        return merges ? 1 : most(conf, MOST_STREAMS);
    }

    private static int most(final JobConf conf, final int mostStreams) {
        final long streams = Math.min(mostStreams, PlannedWindows.plannedStreams(conf));
        final long each = streams / Math.max(1, conf.getNumMapTasks());
        return (int) Math.max(1, Math.min(MOST, each));
    }
}
