// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.version.Release;
import java.lang.reflect.Proxy;
import java.util.EnumSet;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.FileSystemCounter;
import org.apache.hadoop.mapreduce.counters.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ReportPublisherTest {
    private final JobConf conf = new JobConf(false);

    /** Hadoop's own reporters are not to be made outside its packages. */
    private static Reporter reporter(final Counters counters) {
        return (Reporter)
                Proxy.newProxyInstance(
                        ReportPublisherTest.class.getClassLoader(),
                        new Class<?>[] {Reporter.class},
                        (proxy, method, args) ->
                                counters.findCounter((String) args[0], (String) args[1]));
    }

    /** Not the same for all. */
    private static long valueOf(final ShuffleCounter figure) {
        return figure.name().length();
    }

    private static TaskReport reportOfAllFigures() {
        final TaskReport report = new TaskReport();
        for (final ShuffleCounter figure : ShuffleCounter.values()) {
            report.add(figure, valueOf(figure));
        }
        return report;
    }

    /** A task that has counted something of its own, and then publishes all figures. */
    private Counters task(final String kind, final int own) {
        final Counters counters = new Counters();
        for (int i = 0; i < own; i++) {
            counters.findCounter("job", kind + i).increment(1);
        }
        ReportPublisher.publish(reportOfAllFigures(), conf, reporter(counters));
        return counters;
    }

    /** What the application master adds up has come over the wire. */
    private static Counters sent(final Counters counters) throws Exception {
        final DataOutputBuffer bytes = new DataOutputBuffer();
        counters.write(bytes);
        final DataInputBuffer in = new DataInputBuffer();
        in.reset(bytes.getData(), bytes.getLength());
        final Counters copy = new Counters();
        copy.readFields(in);
        return copy;
    }

    private static long figure(final Counters counters, final ShuffleCounter figure) {
        return counters.findCounter(FigureCounters.GROUP, FigureCounters.nameOf(figure)).getValue();
    }

    @Test
    void publishesFiguresThatAreNotZeroAsCounters() {
        final TaskReport report = new TaskReport();
        report.add(ShuffleCounter.STALL_MILLIS, 5);
        report.add(ShuffleCounter.SORT_MILLIS, 0);
        final Counters counters = new Counters();
        ReportPublisher.publish(report, conf, reporter(counters));

        assertThat(counters.countCounters()).isEqualTo(1);
        assertThat(figure(counters, ShuffleCounter.STALL_MILLIS)).isEqualTo(5);
    }

    @Test
    void theLinesOfTasksNameTheRelease() {
        final TaskReport report = new TaskReport();
        ReportPublisher.publish(report, conf, reporter(new Counters()));

        assertThat(report.toJson()).contains("\"version\":\"" + Release.VERSION + "\"");
    }

    @Test
    void publishesNothingWhereItIsSwitchedOff() {
        conf.set(HadoopKeys.REPORT_COUNTERS.name(), "false");

        assertThat(task("map", 0).countCounters()).isZero();
    }

    @ParameterizedTest
    @CsvSource({"60, 0", "80, 32", "80, 40", "120, 0", "0, 120"})
    void leavesAllOfHadoopsLimitToTheUnionOfAJobsOwn(final int ofMaps, final int ofReducers)
            throws Exception {
        assertThat(Limits.getCountersMax()).isEqualTo(120);
        final Counters job = new Counters();
        job.incrAllCounters(sent(task("map", ofMaps)));
        job.incrAllCounters(sent(task("map", ofMaps)));
        job.incrAllCounters(sent(task("reduce", ofReducers)));

        assertThat(job.getGroup("job").size()).isEqualTo(ofMaps + ofReducers);
        for (final ShuffleCounter figure : ShuffleCounter.values()) {
            assertThat(figure(job, figure)).as(figure.name()).isEqualTo(3 * valueOf(figure));
        }
    }

    @ParameterizedTest
    @EnumSource(ShuffleCounter.class)
    void aCountersNameHoldsTheFigures(final ShuffleCounter figure) {
        assertThat(FigureCounters.figureOf(FigureCounters.nameOf(figure))).contains(figure.name());
    }

    @ParameterizedTest
    @CsvSource({"FILE_BYTES_WRITTEN", "HDFS_WRITE_OPS", "SPILLWAY_BYTES_READ", "SPILLWAY-X"})
    void aFileSystemsCounterHoldsNone(final String name) {
        assertThat(FigureCounters.figureOf(name)).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(ShuffleCounter.class)
    void hadoopKnowsTheGroupAndTheKind(final ShuffleCounter figure) {
        final String name = FigureCounters.nameOf(figure);

        assertThat(FigureCounters.GROUP).isEqualTo(FileSystemCounter.class.getName());
        assertThat(EnumSet.allOf(FileSystemCounter.class))
                .anyMatch(kind -> name.endsWith("_" + kind.name()));
    }
}
