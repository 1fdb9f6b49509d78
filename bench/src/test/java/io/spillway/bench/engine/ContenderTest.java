package io.spillway.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.bench.BadInputException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ContenderTest {
    private static final Map<String, String> SHARED = Map.of("spillway.transport", "tcp", "a", "b");

    @Test
    void fetchesWithWhatAllJobsDoUnlessItNamesATransport() {
        assertThat(Contender.parse("rdma").jobProperties(SHARED, 1 << 28)).isEqualTo(SHARED);
        assertThat(Contender.parse(" rdma@UCX ").jobProperties(SHARED, 1 << 28))
                .isEqualTo(Map.of("spillway.transport", "ucx", "a", "b"));
    }

    @Test
    void isCalledAsItWasWritten() {
        assertThat(Contender.parseAll("stock,rdma, rdma@tcp,rdma@ucx"))
                .extracting(Contender::label)
                .isEqualTo(List.of("stock", "rdma", "rdma@tcp", "rdma@ucx"));
    }

    @Test
    void saysWhatItExpects() {
        assertThatThrownBy(() -> Contender.parse("rdma@infiniband"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("rdma@infiniband")
                .hasMessageContaining("auto, tcp, ucx");
        assertThatThrownBy(() -> Contender.parse("rdma@ "))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("'rdma@'")
                .hasMessageContaining("auto, tcp, ucx");
        assertThatThrownBy(() -> Contender.parse("uda@ucx"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("'uda'");
        assertThatThrownBy(() -> Contender.parse("stock@ucx"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("HTTP");
    }

    @Test
    void hasPropertiesOfItsOwn() {
        final Contender one =
                Contender.parse("auto@tcp+shuffle.prefetch=false+mapreduce.task.io.sort.mb=50");

        assertThat(one.label())
                .isEqualTo("auto@tcp+mapreduce.task.io.sort.mb=50+shuffle.prefetch=false");
        assertThat(Contender.parse(one.label())).isEqualTo(one);
        assertThat(Contender.parse("auto@tcp+spillway.shuffle.prefetch=false").label())
                .isEqualTo("auto@tcp+shuffle.prefetch=false");
        assertThat(one.jobProperties(Map.of("spillway.shuffle.prefetch", "true"), 1))
                .containsEntry("spillway.shuffle.prefetch", "false")
                .containsEntry("mapreduce.task.io.sort.mb", "50")
                .containsEntry("spillway.transport", "tcp");
        assertThat(Contender.parse("stock+mapreduce.task.io.sort.mb=50").jobProperties(Map.of(), 1))
                .isEqualTo(Map.of("mapreduce.task.io.sort.mb", "50"));
    }

    @Test
    void saysWhatIsWrongWithAProperty() {
        assertThatThrownBy(() -> Contender.parse("auto+shuffle.prefetch=maybe"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("'auto+shuffle.prefetch=maybe'")
                .hasMessageContaining("spillway.shuffle.prefetch");
        assertThatThrownBy(() -> Contender.parse("auto+spillway.shuffle.prefetsch=true"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("the nearest is spillway.shuffle.prefetch");
        assertThatThrownBy(() -> Contender.parse("auto+prefetch=true"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("no setting");
        assertThatThrownBy(() -> Contender.parse("auto+shuffle.prefetch"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("key=value");
        assertThatThrownBy(() -> Contender.parse("stock+shuffle.prefetch=true"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("Hadoop's own");
        assertThatThrownBy(() -> Contender.parse("auto+a.b=../c"))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("by -D");
    }

    @Test
    void stockIsTunedToItsInputUnlessTheJobSaysOtherwise() {
        final Contender tuned = Contender.parse("stock-tuned");

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
