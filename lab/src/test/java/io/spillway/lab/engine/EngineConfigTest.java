// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.cli.failure.BadInputException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EngineConfigTest {
    private static final Map<String, String> SHARED = Map.of("spillway.transport", "tcp", "a", "b");

    @Test
    void fetchesWithWhatAllJobsDoUnlessItNamesATransport() {
        assertThat(EngineConfig.parse("rdma").jobProperties(SHARED, 1 << 28)).isEqualTo(SHARED);
        assertThat(EngineConfig.parse(" rdma@UCX ").jobProperties(SHARED, 1 << 28))
                .isEqualTo(Map.of("spillway.transport", "ucx", "a", "b"));
    }

    @Test
    void isCalledAsItWasWritten() {
        assertThat(EngineConfig.parseAll("stock,rdma, rdma@tcp,rdma@ucx"))
                .extracting(EngineConfig::label)
                .isEqualTo(List.of("stock", "rdma", "rdma@tcp", "rdma@ucx"));
    }

    @Test
    void saysWhatItExpects() {
        assertThatThrownBy(() -> EngineConfig.parse("rdma@infiniband"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("rdma@infiniband")
                .hasMessageContaining("auto, mpi, sharedfs, tcp, ucx");
        assertThatThrownBy(() -> EngineConfig.parse("rdma@ "))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("'rdma@'")
                .hasMessageContaining("auto, mpi, sharedfs, tcp, ucx");
        assertThatThrownBy(() -> EngineConfig.parse("uda@ucx"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("'uda'");
        assertThatThrownBy(() -> EngineConfig.parse("stock@ucx"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("HTTP");
    }

    @Test
    void hasPropertiesOfItsOwn() {
        final EngineConfig one =
                EngineConfig.parse("auto@tcp+shuffle.prefetch=false+mapreduce.task.io.sort.mb=50");

        assertThat(one.label())
                .isEqualTo("auto@tcp+mapreduce.task.io.sort.mb=50+shuffle.prefetch=false");
        assertThat(EngineConfig.parse(one.label())).isEqualTo(one);
        assertThat(EngineConfig.parse("auto@tcp+spillway.shuffle.prefetch=false").label())
                .isEqualTo("auto@tcp+shuffle.prefetch=false");
        assertThat(one.jobProperties(Map.of("spillway.shuffle.prefetch", "true"), 1))
                .containsEntry("spillway.shuffle.prefetch", "false")
                .containsEntry("mapreduce.task.io.sort.mb", "50")
                .containsEntry("spillway.transport", "tcp");
        assertThat(
                        EngineConfig.parse("stock+mapreduce.task.io.sort.mb=50")
                                .jobProperties(Map.of(), 1))
                .isEqualTo(Map.of("mapreduce.task.io.sort.mb", "50"));
    }

    @Test
    void saysWhatIsWrongWithAProperty() {
        assertThatThrownBy(() -> EngineConfig.parse("auto+shuffle.prefetch=maybe"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("'auto+shuffle.prefetch=maybe'")
                .hasMessageContaining("spillway.shuffle.prefetch");
        assertThatThrownBy(() -> EngineConfig.parse("auto+spillway.shuffle.prefetsch=true"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("the nearest is spillway.shuffle.prefetch");
        assertThatThrownBy(() -> EngineConfig.parse("auto+prefetch=true"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("no setting");
        assertThatThrownBy(() -> EngineConfig.parse("auto+shuffle.prefetch"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("key=value");
        assertThatThrownBy(() -> EngineConfig.parse("stock+shuffle.prefetch=true"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("Hadoop's own");
        assertThatThrownBy(() -> EngineConfig.parse("auto+a.b=../c"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("by -D");
    }

    @Test
    void stockIsTunedToItsInputUnlessTheJobSaysOtherwise() {
        final EngineConfig tuned = EngineConfig.parse("stock-tuned");

        assertThat(tuned.jobProperties(Map.of(), 256L << 20))
                .containsEntry("mapreduce.task.io.sort.mb", "384")
                .containsEntry("mapreduce.task.io.sort.factor", "100");
        assertThat(tuned.jobProperties(Map.of(), 1L << 40))
                .containsEntry("mapreduce.task.io.sort.mb", "600");
        assertThat(tuned.jobProperties(Map.of(), 1))
                .containsEntry("mapreduce.task.io.sort.mb", "100");
        assertThat(tuned.jobProperties(Map.of("mapreduce.task.io.sort.mb", "50"), 1))
                .containsEntry("mapreduce.task.io.sort.mb", "50");
        assertThat(tuned.engine().needsPlugIn()).isFalse();
    }
}
