package io.spillway.bench.net;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MpiGoalsTest {
    private static final TransportVariant MPI = new TransportVariant(TransportVariant.Kind.MPI);
    private static final TransportVariant LIBRARY =
            new TransportVariant(TransportVariant.Kind.MPI_LIBRARY);
    private static final int KIBI = 1024;

    private static NetRow row(
            final TransportVariant way, final int kibi, final int window, final double seconds) {
        final double micros = window == 1 ? seconds * 1e6 : Double.NaN;
        return new NetRow(way, kibi * KIBI, window, 1, 1, seconds, micros, 0.1, 0.2, 0.3);
    }

    private static NetResult result(final List<TransportVariant> ways, final List<NetRow> rows) {
        final List<Integer> sizes = List.of(KIBI, 64 * KIBI, KIBI * KIBI);
        return new NetResult(
                new NetPlan(ways, sizes, List.of(1, 16), 1, 10, true, false),
                rows,
                List.of(),
                true,
                1 << 24);
    }

    @Test
    void comparesWithTheLibrary() {
        final NetResult result =
                result(
                        List.of(MPI, LIBRARY),
                        List.of(
                                row(MPI, 1, 1, 40e-6),
                                row(LIBRARY, 1, 1, 10e-6),
                                row(MPI, 64, 16, 2),
                                row(LIBRARY, 64, 16, 1.5),
                                row(MPI, 1024, 16, 2),
                                row(LIBRARY, 1024, 16, 1)));

        final MpiGoals goals = MpiGoals.of(result).orElseThrow();

        assertThat(goals.text())
                .contains("1m, 16 in flight: 0.50 (goal: at least 0.80; not reached)")
                .contains("64k, 16 in flight: 0.75 (goal: at least 0.60; reached)")
                .contains("1k, 1 in flight: 30.00 (goal: at most 25.00; not reached)");
        assertThat(goals.cpu()).hasSize(2);
        assertThat(goals.cpu().get(1).proxy()).isGreaterThan(goals.cpu().get(1).task());
        assertThat(goals.json()).contains("\"isReached\" : true", "\"proxy\"");
    }

    @Test
    void comparesNothingThatWasNotMeasured() {
        assertThat(MpiGoals.of(result(List.of(LIBRARY), List.of(row(LIBRARY, 1, 1, 1))))).isEmpty();
        assertThat(MpiGoals.of(result(List.of(MPI), List.of(row(MPI, 1, 1, 1)))))
                .hasValueSatisfying(goals -> assertThat(goals.goals()).isEmpty());
    }
}
