// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.hadoop.tier.TaskTiers;
import io.spillway.placement.conf.PlacementKeys;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;

/** Whether all reducers of a job are sure to be Spillway's, on nodes that serve Spillway. */
public final class SpillwayReducers {
    private static final String SHUFFLE = "io.spillway.hadoop.SpillwayShuffle";
    private static final String UBERIZED = "mapreduce.task.uberized";

    private SpillwayReducers() {}

    /**
     * Whether maps may leave outputs that stock's reducers and handlers cannot read: not where
     * stock's shuffle is configured or may be fallen back to, and not where reducers run in the
     * same process as the maps. Reducers come to the same answer, for it depends on the job's
     * configuration alone.
     */
    public static boolean areSureOf(final JobConf conf) {
        return SHUFFLE.equals(conf.getTrimmed(MRConfig.SHUFFLE_CONSUMER_PLUGIN))
                && !MRConfig.LOCAL_FRAMEWORK_NAME.equals(conf.getTrimmed(MRConfig.FRAMEWORK_NAME))
                && !conf.getBoolean(UBERIZED, false)
                && StockReason.of(conf).isEmpty();
    }

    /**
     * Whether maps of a job may have left outputs that no other reducers can read: then one that
     * cannot start has to fail, instead of reporting maps that are sound.
     */
    public static boolean areNeededBy(final JobConf conf) {
        if (!areSureOf(conf)) {
            return false;
        }
        final Lookup lookup = new Lookup(conf);
        final boolean placesOutputs =
                PlacementKeys.PLACEMENT_SERVICE.get(lookup).isPresent()
                        && !HadoopKeys.PLACEMENT.get(lookup).staysHere();
        return placesOutputs || RunsPerMap.of(conf).most() > 1 || TaskTiers.hasDescriptors(conf);
    }
}
