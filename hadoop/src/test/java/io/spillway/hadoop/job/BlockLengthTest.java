// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.WindowLength;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BlockLengthTest {
    private static JobConf job(final int maps, final String javaOpts) {
        final JobConf conf = new JobConf(false);
        conf.setNumMapTasks(maps);
        conf.set(MRJobConfig.REDUCE_JAVA_OPTS, javaOpts);
        return conf;
    }

    @Test
    void fewMapsHaveTheLongestBlocks() {
        assertThat(BlockLength.of(job(10, "-Xmx1024m"))).isEqualTo(64 << 10);
    }

    @ParameterizedTest
    @CsvSource({"1, 200", "64, 200", "1000, 200", "5000, 1024", "20000, 1024", "20000, 4096"})
    void blocksDivideThePiecesThatReducersFetch(final int maps, final int megabytes) {
        final JobConf conf = job(maps, "-server -Xmx" + megabytes + "m -Dx=y");
        final int block = BlockLength.of(conf);
        for (final int percentOfHeap : new int[] {80, 90, 100}) {
            final long heap = ((long) megabytes << 20) * percentOfHeap / 100;
            final int window =
                    WindowLength.of(
                            conf::getTrimmed,
                            WindowLength.budget(conf::getTrimmed, heap, maps, 1),
                            maps,
                            1);
            assertThat(window % block).as("window %s, block %s", window, block).isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"1024, 1024", "1025, 2048", "3000, 4096", "70000, 65536"})
    void aBufferThatMaySufficeForTheSmallestWindowsHasBlocksOfThatSize(
            final String smallest, final int expected) {
        final JobConf conf = job(1000, "-Xmx100m");
        conf.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "1k");
        conf.set(EngineKeys.SHUFFLE_WINDOW_MIN.name(), smallest);
        assertThat(BlockLength.of(conf)).isEqualTo(expected);
    }
}
