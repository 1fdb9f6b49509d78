// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.spi.MapStage;
import org.junit.jupiter.api.Test;

class TaskStagesTest {
    private static StackTraceElement frame(final String type, final String method) {
        return new StackTraceElement(type, method, "File.java", 1);
    }

    private static MapStage stageOf(final StackTraceElement... stack) {
        return TaskStages.stageOf(stack);
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
                .isEqualTo(MapStage.READ);
        assertThat(
                        stageOf(
                                frame(
                                        "org.apache.hadoop.mapred.MapTask$TrackedRecordReader",
                                        "next"),
                                frame("org.apache.hadoop.mapred.MapRunner", "run"),
                                task))
                .isEqualTo(MapStage.READ);
        assertThat(
                        stageOf(
                                frame("io.spillway.hadoop.SpillwayCollector", "collect"),
                                frame(
                                        "org.apache.hadoop.mapred.MapTask$NewOutputCollector",
                                        "write"),
                                mapper,
                                task))
                .isEqualTo(MapStage.COLLECT);
        assertThat(stageOf(mapper, task)).isEqualTo(MapStage.MAP);
    }
}
