package io.spillway.hadoop.report;

import io.spillway.conf.InvalidSettingException;
import io.spillway.conf.SpillwayKeys;
import io.spillway.hadoop.conf.Lookup;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.apache.hadoop.mapreduce.counters.Limits;
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
        publish(report, job, reporter, null);
    }

    /**
     * Publishes a report, once a task, as counters only where there is room for all figures. One
     * counter beyond Hadoop's limit makes every later new counter of the task fail, the job's own
     * included; so the room is checked before.
     *
     * @param countersOrNull the task's counters so far, where the caller can know them
     */
    public static void publish(
            final TaskReport report,
            final JobConf job,
            final Reporter reporter,
            final Counters countersOrNull) {
        if (isOn(job) && hasRoom(countersOrNull)) {
            count(report, reporter);
        }
        LOG.info("Spillway shuffle report {}", report.toJson());
    }

    /** A task that falls back because of a wrong setting publishes as by default. */
    private static boolean isOn(final JobConf job) {
        try {
            return SpillwayKeys.REPORT_COUNTERS.get(new Lookup(job));
        } catch (final InvalidSettingException e) {
            return SpillwayKeys.REPORT_COUNTERS.defaultValue();
        }
    }

    private static boolean hasRoom(final Counters countersOrNull) {
        final int used = countersOrNull == null ? 0 : countersOrNull.countCounters();
        final int limit = Limits.getCountersMax();
        final boolean hasRoom = used + ShuffleCounter.values().length <= limit;
        if (!hasRoom) {
            LOG.info(
                    "No counters of Spillway: the task has {}, mapreduce.job.counters.max={}",
                    used,
                    limit);
        }
        return hasRoom;
    }

    private static void count(final TaskReport report, final Reporter reporter) {
        try {
            report.publish(
                    (group, name, value) -> {
                        final Counters.Counter counter = reporter.getCounter(group, name);
                        if (counter != null) {
                            counter.increment(value);
                        }
                    });
        } catch (final LimitExceededException e) {
            LOG.info(
                    "The job is at its limit of counters ({}): no counters of Spillway",
                    e.getMessage());
        }
    }
}
