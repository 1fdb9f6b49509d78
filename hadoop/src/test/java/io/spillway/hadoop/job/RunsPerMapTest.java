// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.lib.IdentityReducer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunsPerMapTest {
    private static JobConf job(final int maps) {
        final JobConf conf = new JobConf(false);
        conf.set(
                "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                "io.spillway.hadoop.SpillwayShuffle");
        conf.set("mapreduce.framework.name", "yarn");
        conf.setMapOutputKeyClass(IntWritable.class);
        conf.setNumMapTasks(maps);
        return conf;
    }

    private static int most(final JobConf conf) {
        return RunsPerMap.of(conf).most();
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "16, 8", "32, 8", "33, 7", "128, 2", "129, 1", "10000, 1"})
    void fewerTheMoreMapsThereAre(final int maps, final int most) {
        assertThat(most(job(maps))).isEqualTo(most);
    }

    @ParameterizedTest
    @CsvSource({"256, 8", "1024, 2", "2048, 1", "10000, 1"})
    void neverMergingIsBoundedByTheReducersWindows(final int maps, final int most) {
        final JobConf conf = job(maps);
        conf.set("spillway.spill.merge", "never");
        assertThat(most(conf)).isEqualTo(most);
    }

    @ParameterizedTest
    @CsvSource({"1m, 128, 1", "1m, 64, 2", "1m, 16, 8", "8k, 4, 1"})
    void aSmallBufferBoundsThem(final String buffer, final int maps, final int most) {
        final JobConf conf = job(maps);
        conf.set("spillway.spill.merge", "never");
        conf.set("spillway.shuffle.buffer.bytes", buffer);
        assertThat(most(conf)).isEqualTo(most);
    }

    @ParameterizedTest
    @CsvSource({
        "mapreduce.job.reduce.shuffle.consumer.plugin.class,"
                + " org.apache.hadoop.mapreduce.task.reduce.Shuffle",
        "mapreduce.framework.name, local",
        "mapreduce.task.uberized, true",
        "mapreduce.map.output.compress, true",
        "spillway.shuffle.enabled, false",
        "spillway.shuffle.buffer.percent, lots",
    })
    void oneWhereAReducerMayNeedASingleFile(final String name, final String value) {
        final JobConf conf = job(2);
        conf.set("spillway.spill.merge", "never");
        assertThat(most(conf)).isEqualTo(8);
        conf.set(name, value);
        assertThat(most(conf)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({
        "spillway.spill.merge, always",
        "spillway.mode, rdma",
        "spillway.mode, rdma-nvm",
        "mapreduce.job.combine.class, org.example.Sums"
    })
    void oneWhereTheModeOrACombinerWantsAMerge(final String name, final String value) {
        final JobConf conf = job(2);
        conf.set(name, value);
        assertThat(most(conf)).isEqualTo(1);
    }

    @Test
    void oneWithACombinerOfTheOldApi() {
        final JobConf conf = job(2);
        conf.setCombinerClass(IdentityReducer.class);
        assertThat(most(conf)).isEqualTo(1);
    }

    @Test
    void oneByStocksDefaults() {
        assertThat(most(new JobConf(false))).isEqualTo(1);
    }
}
