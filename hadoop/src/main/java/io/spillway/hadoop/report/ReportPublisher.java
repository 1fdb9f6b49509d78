package io.spillway.hadoop.report;

import io.spillway.conf.SpillwayKeys;
import io.spillway.report.TaskReport;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes a task's report: its figures as job counters, and all of it as one log line. */
public final class ReportPublisher {
    private static final Logger LOG = LoggerFactory.getLogger(ReportPublisher.class);

    private ReportPublisher() {}

    /**
     * Publishes a report, once a task. A job that is at Hadoop's limit of counters keeps running:
     * the figures are then in the log line only.
     */
    public static void publish(
            final TaskReport report, final JobConf job, final Reporter reporter) {
        if (SpillwayKeys.REPORT_COUNTERS.get(job::getTrimmed)) {
            count(report, reporter);
        }
        LOG.info("Spillway shuffle report {}", report.toJson());
    }

    private static void count(final TaskReport report, final Reporter reporter) {
        try {
            report.publish(
                    (group, name, value) -> reporter.getCounter(group, name).increment(value));
        } catch (final LimitExceededException e) {
            LOG.info(
                    "The job is at its limit of counters ({}): no counters of Spillway",
                    e.getMessage());
        }
    }
}
