// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.placement.conf.PlacementKeys;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

class SpillwayReducersTest {
    private static JobConf job(final int maps) {
        final JobConf conf = new JobConf(false);
        conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle");
        conf.set(MRConfig.FRAMEWORK_NAME, "yarn");
        conf.set(MRJobConfig.REDUCE_JAVA_OPTS, "-Xmx820m");
        conf.setNumMapTasks(maps);
        return conf;
    }

    @Test
    void areNeededWhereMapsMayPlaceOutputs() {
        final JobConf conf = job(2000);
        conf.set(HadoopKeys.PLACEMENT.name(), "every-node");
        assertThat(SpillwayReducers.areNeededBy(conf)).as("no service").isFalse();

        conf.set(PlacementKeys.PLACEMENT_SERVICE.name(), "host:13563");
        assertThat(SpillwayReducers.areNeededBy(conf)).isTrue();

        conf.set(HadoopKeys.PLACEMENT.name(), "local");
        assertThat(SpillwayReducers.areNeededBy(conf)).as("outputs stay here").isFalse();
    }

    @Test
    void areNeededWhereMapsMayLeaveRuns() {
        assertThat(SpillwayReducers.areNeededBy(job(10))).isTrue();
        assertThat(SpillwayReducers.areNeededBy(job(2000))).as("too many for runs").isFalse();
    }

    @Test
    void areNotSureWhereTheConfiguredHeapHasNoRoomForTheWindows() {
        assertThat(SpillwayReducers.areSureOf(job(20_000))).isTrue();
        final JobConf conf = job(40_000);
        assertThat(SpillwayReducers.areSureOf(conf)).isFalse();
        assertThat(StockReason.of(conf).orElseThrow())
                .contains("40000 maps", EngineKeys.SHUFFLE_BUFFER_PERCENT.name());
    }
}
