package io.spillway.hadoop.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.spillway.conf.SpillwayKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import java.lang.reflect.Proxy;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.counters.Limits;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReportPublisherTest {
    private final JobConf conf = new JobConf(false);
    private final Counters counters = new Counters();
    private final TaskReport report = new TaskReport();

    /** Hadoop's own reporters are not to be made outside its packages. */
    private final Reporter reporter =
            (Reporter)
                    Proxy.newProxyInstance(
                            getClass().getClassLoader(),
                            new Class<?>[] {Reporter.class},
                            (proxy, method, args) ->
                                    counters.findCounter((String) args[0], (String) args[1]));

    @BeforeEach
    void addFigures() {
        report.add(ShuffleCounter.STALL_MILLIS, 5);
        report.add(ShuffleCounter.SORT_MILLIS, 0);
    }

    private void fill(final int count) {
        for (int i = 0; i < count; i++) {
            counters.findCounter("job", "counter" + i).increment(1);
        }
    }

    @Test
    void publishesFiguresAsCounters() {
        ReportPublisher.publish(report, conf, reporter, counters);

        assertThat(counters.findCounter(ShuffleCounter.GROUP, "STALL_MILLIS").getValue())
                .isEqualTo(5);
        assertThat(counters.countCounters()).isEqualTo(1);
    }

    @Test
    void publishesNothingWhereItIsSwitchedOff() {
        conf.set(SpillwayKeys.REPORT_COUNTERS.name(), "false");
        ReportPublisher.publish(report, conf, reporter, counters);

        assertThat(counters.countCounters()).isZero();
    }

    @Test
    void leavesTheLastCountersToTheJob() {
        final int free = ShuffleCounter.values().length - 1;
        fill(Limits.getCountersMax() - free);
        ReportPublisher.publish(report, conf, reporter, counters);
        assertThat(counters.countCounters()).isEqualTo(Limits.getCountersMax() - free);

        fill(Limits.getCountersMax());
        assertThat(counters.countCounters()).isEqualTo(Limits.getCountersMax());
    }

    @Test
    void aJobBeyondItsLimitKeepsRunning() {
        fill(Limits.getCountersMax());

        assertThatCode(() -> ReportPublisher.publish(report, conf, reporter))
                .doesNotThrowAnyException();
    }
}
