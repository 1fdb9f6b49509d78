// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import org.apache.hadoop.mapred.JobConf;

/** The job's combiner. */
enum Combining {
    NONE(null, null),
    /** Sums longs, new API. */
    SUM(Combiners.NewSum.class, null),
    /** Sums longs, old API. */
    OLD_SUM(null, Combiners.OldSum.class),
    /** Drops values that repeat in a group, new API. */
    DISTINCT(Combiners.NewDistinct.class, null),
    /** Drops values that repeat in a group, old API. */
    OLD_DISTINCT(null, Combiners.OldDistinct.class),
    /** Links texts: associative and not commutative, new API. */
    LINK(Combiners.NewLink.class, null),
    /** Links texts, old API. */
    OLD_LINK(null, Combiners.OldLink.class),
    /** Throws, new API. */
    THROWS(Combiners.NewThrowing.class, null),
    /** Throws, old API. */
    OLD_THROWS(null, Combiners.OldThrowing.class);

    private final Class<? extends org.apache.hadoop.mapreduce.Reducer<?, ?, ?, ?>> newApi;
    private final Class<? extends org.apache.hadoop.mapred.Reducer<?, ?, ?, ?>> oldApi;

    Combining(
            final Class<? extends org.apache.hadoop.mapreduce.Reducer<?, ?, ?, ?>> newApi,
            final Class<? extends org.apache.hadoop.mapred.Reducer<?, ?, ?, ?>> oldApi) {
        this.newApi = newApi;
        this.oldApi = oldApi;
    }

    void configure(final JobConf conf) {
        if (newApi != null) {
            conf.setClass(
                    "mapreduce.job.combine.class",
                    newApi,
                    org.apache.hadoop.mapreduce.Reducer.class);
        }
        if (oldApi != null) {
            conf.setClass("mapred.combiner.class", oldApi, org.apache.hadoop.mapred.Reducer.class);
        }
    }
}
