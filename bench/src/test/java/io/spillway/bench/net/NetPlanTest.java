package io.spillway.bench.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.bench.BadInputException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class NetPlanTest {
    private static final List<TransportVariant> WAYS =
            List.of(
                    new TransportVariant(TransportVariant.Kind.RAW_TCP),
                    new TransportVariant(TransportVariant.Kind.UCX, "posix+cma"),
                    new TransportVariant(
                            TransportVariant.Kind.PERFTEST, TransportVariant.DEFAULT_TLS));

    @Test
    void isTheSameAfterItsWayToAnotherProcess() {
        final NetPlan plan =
                new NetPlan(WAYS, List.of(1024, 8 << 20), List.of(1, 16), 3, 60, true, true);

        assertThat(plan.arguments()).hasSize(NetPlan.PARTS);
        assertThat(NetPlan.parse(plan.arguments())).isEqualTo(plan);

        final NetOptions options =
                new NetOptions(
                        "127.0.0.1",
                        7000,
                        4096,
                        false,
                        "mpiexec.mpich",
                        Map.of("a", "b=c", "d", ""));
        assertThat(NetOptions.parse(options.arguments())).isEqualTo(options);
    }

    @Test
    void samplesShareTheTime() {
        final NetPlan plan = new NetPlan(WAYS, List.of(1024), List.of(1, 16), 3, 90, true, false);

        assertThat(plan.samples()).isEqualTo(18);
        assertThat(plan.sliceNanos()).isEqualTo(3_500_000_000L);
        assertThat(plan.warmUpNanos()).isEqualTo(13_500_000_000L); // UCX's test has its own
    }

    @Test
    void refusesWhatCannotBeMeasured() {
        assertThatThrownBy(() -> new NetPlan(WAYS, List.of(12), List.of(1), 1, 10, true, false))
                .isInstanceOf(BadInputException.class)
                .hasMessageContaining("--sizes 12: expected a multiple of 8");
        assertThatThrownBy(() -> new NetPlan(WAYS, List.of(1024), List.of(0), 1, 10, true, false))
                .hasMessageContaining("--windows 0: expected 1 to");
        assertThatThrownBy(
                        () -> new NetPlan(List.of(), List.of(1024), List.of(1), 1, 10, true, false))
                .hasMessageContaining("nothing to measure");
    }

    @Test
    void waysHaveNames() {
        for (final TransportVariant way : WAYS) {
            assertThat(TransportVariant.parse(way.label())).isEqualTo(way);
        }
        assertThat(WAYS.get(1).label()).isEqualTo("ucx/posix+cma");
        assertThat(WAYS.get(1).ucxTls()).isEqualTo("posix,cma");
        assertThat(WAYS.get(1).settings(Map.of())).containsEntry("spillway.ucx.tls", "posix,cma");
        assertThat(WAYS.get(1).baseline().label()).isEqualTo("ucx_perftest/posix+cma");
        assertThat(WAYS.get(2).ucxTls()).isEmpty();
        assertThatThrownBy(() -> TransportVariant.parse("ucx/tcp; rm"))
                .hasMessageContaining("expected names");
        assertThatThrownBy(() -> TransportVariant.parse("udp"))
                .hasMessageContaining("way 'udp': expected");
        assertThatThrownBy(() -> new TransportVariant(TransportVariant.Kind.TCP, "tcp"))
                .hasMessageContaining("tcp");
    }
}
