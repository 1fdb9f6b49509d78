package io.spillway.bench.net.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MpiBenchTest {
    @Test
    void readsTheLineOfFiguresAmongWhatTheLauncherSays() {
        final String output =
                "A warning of the launcher.\nmpi_bench 457 0.122500000 16.234 0.098500 0.104500\n";

        assertThat(MpiBench.parse(output))
                .contains(new MpiBench.Figures(457, 122_500_000, 16.234, 98_500_000, 104_500_000));
    }

    @Test
    void readsNothingWhereThereIsNone() {
        assertThat(MpiBench.parse("usage: mpirun -n 2 mpi_bench latency|bandwidth|request"))
                .isEmpty();
        assertThat(MpiBench.parse("mpi_bench 457 0.1")).isEmpty();
        assertThat(MpiBench.parse("")).isEmpty();
    }
}
