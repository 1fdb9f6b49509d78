// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.SpillSettings;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.job.BlockLength;
import io.spillway.hadoop.job.RunsPerMap;
import io.spillway.hadoop.tier.StoreSettings;
import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRJobConfig;

/**
 * The settings of one collector, checked. The bounds and texts of Hadoop's own properties are those
 * of {@code MapTask.MapOutputBuffer.init}. Immutable.
 *
 * @param spill what the engine is set to
 * @param usePrefix whether to sort by key prefixes
 * @param stores where spills and the output go
 * @param spillLimit the most spills allowed, or -1
 */
record CollectSettings(
        SpillSettings spill, boolean usePrefix, StoreSettings stores, int spillLimit) {
    private static final int SORT_MB_MASK = 0x7FF;
    private static final int UNLIMITED = -1;

    /** Of which a run that is left to the reducers is long enough; the default of io.sort.mb. */
    private static final int SHORT_RUN_BYTES = 100 << 20;

    static CollectSettings of(final JobConf job) throws IOException {
        requireSpillPercent(job.getFloat(JobContext.MAP_SORT_SPILL_PERCENT, 0.8f));
        final int spillLimit = job.getInt(JobContext.SPILL_FILES_COUNT_LIMIT, UNLIMITED);
        requireSpillLimit(spillLimit);
        final Lookup lookup = new Lookup(job);
        final StoreSettings stores = StoreSettings.of(lookup);
        final int sortBytes = sortBytes(job);
        stores.requireInHeap(Runtime.getRuntime().maxMemory(), sortBytes);
        final int mostRuns = RunsPerMap.of(job).most();
        final boolean counts = spillLimit != UNLIMITED || stores.alwaysMerges();
        final SpillSettings spill =
                new SpillSettings(
                        sortBytes,
                        job.getNumReduceTasks(),
                        HadoopKeys.REPORT_STAGES.get(lookup),
                        stores.alwaysMerges(),
                        mostRuns,
                        counts ? 0 : shortRuns(sortBytes, mostRuns),
                        SHORT_RUN_BYTES,
                        BlockLength.of(job),
                        job.getInt(JobContext.MAP_COMBINE_MIN_SPILLS, 3),
                        mergeFactor(job),
                        !counts && EngineKeys.MAP_COMBINE_HASH.get(lookup));
        return new CollectSettings(spill, EngineKeys.SORT_PREFIX.get(lookup), stores, spillLimit);
    }

    private static int mergeFactor(final JobConf job) {
        return Math.max(
                2, job.getInt(MRJobConfig.IO_SORT_FACTOR, MRJobConfig.DEFAULT_IO_SORT_FACTOR));
    }

    private static void requireSpillPercent(final float percent) throws IOException {
        if (!(percent > 0 && percent <= 1)) {
            throw new IOException(
                    "Invalid \"" + JobContext.MAP_SORT_SPILL_PERCENT + "\": " + percent);
        }
    }

    private static void requireSpillLimit(final int limit) throws IOException {
        if (limit != UNLIMITED && limit < 0) {
            throw new IOException(
                    "Invalid value for \""
                            + JobContext.SPILL_FILES_COUNT_LIMIT
                            + "\", current value: "
                            + limit);
        }
    }

    private static int sortBytes(final JobConf job) throws IOException {
        final int megabytes = job.getInt(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
        if ((megabytes & SORT_MB_MASK) != megabytes) {
            throw new IOException("Invalid \"" + MRJobConfig.IO_SORT_MB + "\": " + megabytes);
        }
        return megabytes << 20;
    }

    /**
     * How many spills may be shorter than the sort buffer allows, where they are not merged. A
     * longer run costs more: each page of heap that is touched for the first time about as much as
     * sorting its records, and the gather misses the caches. Half of the runs keep the whole
     * buffer, so that a long output has as many runs as ever, or few more.
     */
    private static int shortRuns(final int sortBytes, final int mostRuns) {
        return sortBytes <= SHORT_RUN_BYTES ? 0 : mostRuns / 2;
    }

    /** Fails, with stock's text, when {@code spills} are more than allowed. */
    void requireSpills(final int spills) throws IOException {
        if (spillLimit != UNLIMITED && spills > spillLimit) {
            throw new IOException(
                    "Too many spill files got created, control it with "
                            + "mapreduce.task.spill.files.count.limit, current value: "
                            + spillLimit
                            + ", current spill count: "
                            + spills);
        }
    }
}
