package io.spillway.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
    void namesTheEnginesThereAre() {
        assertThat(Engine.parse(" Stock")).isEqualTo(Engine.STOCK);
        assertThatThrownBy(() -> Engine.parse("uda"))
                .hasMessageContaining("'uda'")
                .hasMessageContaining("[stock, spillway, auto, rdma, rdma-nvm]");
    }
}
