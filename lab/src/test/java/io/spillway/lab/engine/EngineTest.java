// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.run.Engine;
import io.spillway.conf.Settings;
import java.util.Map;
import java.util.TreeMap;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.junit.jupiter.api.Test;

class EngineTest {
    @Test
    void stockIsNoPropertyAtAll() {
        assertThat(Engine.STOCK.jobProperties()).isEmpty();
        assertThat(Engine.STOCK.needsPlugIn()).isFalse();
    }

    @Test
    void spillwayIsHadoopsOwnPlugInPointsWithStockToFallBackTo() {
        assertThat(Engine.SPILLWAY.jobProperties())
                .containsOnlyKeys(
                        MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR,
                        MRConfig.SHUFFLE_CONSUMER_PLUGIN);
        assertThat(Engine.SPILLWAY.jobProperties().get(MRJobConfig.MAP_OUTPUT_COLLECTOR_CLASS_ATTR))
                .endsWith(",org.apache.hadoop.mapred.MapTask$MapOutputBuffer");
    }

    @Test
    void staticIsAutoWithWindowsOfOneSize() {
        final Map<String, String> expected = new TreeMap<>(Engine.AUTO.jobProperties());
        expected.put("spillway.shuffle.windows", "static");

        assertThat(Engine.parse("static").jobProperties()).isEqualTo(expected);
    }

    @Test
    void hadoopAIsAPublishedMode() {
        assertThat(Engine.parse("hadoop-a").jobProperties())
                .containsEntry("spillway.mode", "hadoop-a")
                .doesNotContainKey("spillway.shuffle.windows");
    }

    @Test
    void setsOnlyWhatSpillwayKnows() {
        for (final Engine engine : Engine.values()) {
            engine.jobProperties().entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith("spillway."))
                    .forEach(entry -> assertThatCode(() -> read(entry)).doesNotThrowAnyException());
        }
    }

    /** Throws for a name that is unknown and for a value out of its range. */
    private static Object read(final Map.Entry<String, String> entry) {
        return Settings.all().stream()
                .filter(key -> key.name().equals(entry.getKey()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(entry.getKey()))
                .get(name -> entry.getValue());
    }

    @Test
    void namesTheEnginesThereAre() {
        assertThat(Engine.parse(" Stock")).isEqualTo(Engine.STOCK);
        assertThatThrownBy(() -> Engine.parse("uda"))
                .hasMessageContaining("'uda'")
                .hasMessageContaining(
                        "[stock, stock-tuned, central-disk, stock-lustre, spillway, auto, static,"
                                + " ramdisk, every-node, dedicated, rdma, rdma-nvm, hadoop-a,"
                                + " lustre-rdma, lustre-read, lustre]");
    }
}
