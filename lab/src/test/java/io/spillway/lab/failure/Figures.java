// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.lab.cluster.Clusters;
import io.spillway.report.ShuffleCounter;

/** Reads what a job has counted. */
final class Figures {
    private static final String JOB_COUNTERS = "org.apache.hadoop.mapreduce.JobCounter";

    private Figures() {}

    /** One of Spillway's figures. */
    static long of(final JobFigures job, final ShuffleCounter figure) {
        return Clusters.figure(job, figure);
    }

    /** One of Hadoop's counters of a job. */
    static long of(final JobFigures job, final String name) {
        return job.counter(JOB_COUNTERS, name).total();
    }

    /** Map attempts that did not count in the end. */
    static long lostMapAttempts(final JobFigures job) {
        return of(job, "NUM_KILLED_MAPS") + of(job, "NUM_FAILED_MAPS");
    }

    /** Every attempt has counted, and all reducers fetched with Spillway. */
    static void assertNothingLost(final JobFigures job) {
        assertThat(of(job, ShuffleCounter.STOCK_FALLBACKS)).as("fallbacks to stock").isZero();
        assertThat(lostMapAttempts(job)).as("map attempts lost").isZero();
        assertThat(of(job, "NUM_FAILED_REDUCES")).as("reduce attempts failed").isZero();
    }
}
