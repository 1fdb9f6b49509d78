package io.spillway.hadoop.reduce;

import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.counters.LimitExceededException;
import org.apache.hadoop.mapreduce.counters.Limits;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes a report as job counters, where there is room for them.
 *
 * <p>One counter beyond {@code mapreduce.job.counters.max} makes every later new counter of the
 * task fail, the job's own included. Therefore the room is checked before, with all figures in
 * mind: other tasks of the job publish others.
 */
final class CounterSink {
    private static final Logger LOG = LoggerFactory.getLogger(CounterSink.class);

    private CounterSink() {}

    /**
     * Publishes a report; never fails.
     *
     * @param countersOrNull the task's counters so far
     */
    static void publish(
            final TaskReport report, final Reporter reporter, final Counters countersOrNull) {
        final int used = countersOrNull == null ? 0 : countersOrNull.countCounters();
        if (used + ShuffleFigure.values().length > Limits.getCountersMax()) {
            LOG.info(
                    "The report is not published as counters: mapreduce.job.counters.max={} leaves"
                            + " no room for {} beside the job's {}",
                    Limits.getCountersMax(),
                    ShuffleFigure.values().length,
                    used);
            return;
        }
        try {
            report.publish((group, name, value) -> add(reporter, group, name, value));
        } catch (final LimitExceededException e) {
            LOG.warn("The report is not published as counters", e);
        }
    }

    private static void add(
            final Reporter reporter, final String group, final String name, final long value) {
        final Counters.Counter counter = reporter.getCounter(group, name);
        if (counter != null) {
            counter.increment(value);
        }
    }
}
