package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class StageProfileTest {
    private static StackTraceElement frame(final String type, final String method) {
        return new StackTraceElement(type, method, "File.java", 1);
    }

    private static StageProfile.Stage stageOf(final StackTraceElement... stack) {
        return StageProfile.stageOf(stack);
    }

    @Test
    void tellsAStageByTheFrameOfMapTaskNearestToTheTop() {
        final StackTraceElement mapper = frame("org.example.MyMapper", "map");
        final StackTraceElement task = frame("org.apache.hadoop.mapred.MapTask", "runNewMapper");

        assertThat(
                        stageOf(
                                frame("org.apache.hadoop.util.LineReader", "readLine"),
                                frame(
                                        "org.apache.hadoop.mapred.MapTask$NewTrackingRecordReader",
                                        "nextKeyValue"),
                                frame("org.apache.hadoop.mapreduce.Mapper", "run"),
                                task))
                .isEqualTo(StageProfile.Stage.READ);
        assertThat(
                        stageOf(
                                frame(
                                        "org.apache.hadoop.mapred.MapTask$TrackedRecordReader",
                                        "next"),
                                frame("org.apache.hadoop.mapred.MapRunner", "run"),
                                task))
                .isEqualTo(StageProfile.Stage.READ);
        assertThat(
                        stageOf(
                                frame("io.spillway.hadoop.SpillwayCollector", "collect"),
                                frame(
                                        "org.apache.hadoop.mapred.MapTask$NewOutputCollector",
                                        "write"),
                                mapper,
                                task))
                .isEqualTo(StageProfile.Stage.COLLECT);
        assertThat(stageOf(mapper, task)).isEqualTo(StageProfile.Stage.MAP);
    }

    @Test
    void dividesAllOfTheTimeAmongTheStages() throws Exception {
        final TaskReport report = new TaskReport();
        final long beforeStart = System.nanoTime();
        final long shortest;
        final long longest;
        try (StageProfile profile = new StageProfile(true)) {
            final long afterStart = System.nanoTime();
            profile.startSampling();
            TimeUnit.MILLISECONDS.sleep(150);
            final long spill =
                    profile.time(StageProfile.Stage.SPILL, () -> TimeUnit.MILLISECONDS.sleep(200));
            assertThat(TimeUnit.NANOSECONDS.toMillis(spill)).isGreaterThanOrEqualTo(199);
            profile.spilled(spill, 1234);
            TimeUnit.MILLISECONDS.sleep(150);
            shortest = System.nanoTime() - afterStart - spill;
            profile.writeTo(report);
            longest = System.nanoTime() - beforeStart - spill;
        }

        // All but the spill is this test's, hence the job's, code; a figure is whole milliseconds.
        assertThat(report.get(ShuffleFigure.MAP_MILLIS))
                .isBetween(
                        TimeUnit.NANOSECONDS.toMillis(shortest) - 1,
                        TimeUnit.NANOSECONDS.toMillis(longest) + 1);
        assertThat(report.get(ShuffleFigure.READ_MILLIS)).isZero();
        assertThat(report.toJson())
                .contains("\"each_spill_bytes\":[1234]", "\"cpu_spill_millis\":");
    }

    @Test
    void withoutASamplerOnlySpillAndMergeAreTold() throws Exception {
        final TaskReport report = new TaskReport();
        try (StageProfile profile = new StageProfile(false)) {
            profile.startSampling();
            profile.time(StageProfile.Stage.MERGE, () -> TimeUnit.MILLISECONDS.sleep(20));
            profile.writeTo(report);
        }

        assertThat(report.toJson())
                .contains("cpu_merge_millis")
                .doesNotContain("map_millis", "each_spill");
    }
}
