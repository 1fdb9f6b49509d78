// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.report;

import io.spillway.conf.InvalidSettingException;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.version.Release;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes a task's report: its figures as job counters, and all of it as one log line. */
public final class ReportPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(ReportPublisher.class);

    private ReportPublisher() {}

    /** Publishes a report, once a task. */
    public static void publish(
            final TaskReport report, final JobConf job, final Reporter reporter) {
        report.note("version", Release.VERSION);
        if (isOn(job)) {
            report.publish((figure, value) -> count(figure, value, reporter));
        }
        LOG.info("Spillway shuffle report {}", report.toJson());
    }

    /** A task that falls back because of a wrong setting publishes as by default. */
    private static boolean isOn(final JobConf job) {
        try {
            return HadoopKeys.REPORT_COUNTERS.get(new Lookup(job));
        } catch (final InvalidSettingException e) {
            return HadoopKeys.REPORT_COUNTERS.defaultValue();
        }
    }

    /** Hadoop gives no counter of this group where a task has more than 100 schemes. */
    private static void count(
            final ShuffleCounter figure, final long value, final Reporter reporter) {
        final Counters.Counter counter =
                reporter.getCounter(FigureCounters.GROUP, FigureCounters.nameOf(figure));
        if (counter != null) {
            counter.increment(value);
        }
    }
}
