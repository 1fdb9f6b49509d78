package io.spillway.bench.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.bench.BenchException;
import io.spillway.bench.mpi.Mpirun;
import io.spillway.bench.report.Machine;
import io.spillway.bench.run.Monitor;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two processes and real sockets; that they are fast is not asserted. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NetBenchmarkTest {
    private static final List<TransportVariant> SOCKETS =
            List.of(
                    new TransportVariant(TransportVariant.Kind.RAW_TCP),
                    new TransportVariant(TransportVariant.Kind.TCP));

    private static final Machine MACHINE =
            new Machine(
                    2,
                    "a processor",
                    1024,
                    "Linux",
                    "17",
                    "3.5.0",
                    "2026-11-21T00:00:00Z",
                    Machine.NO_EMULATION);

    @TempDir private Path folder;

    private NetBenchmark benchmark(final boolean fromMemory) {
        return new NetBenchmark(
                List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)),
                folder.resolve("logs"),
                new NetBenchmark.Data(1 << 20, fromMemory, Mpirun.ANY, Map.of()));
    }

    private static NetPlan plan(final List<TransportVariant> ways) {
        return plan(ways, false);
    }

    private static NetPlan plan(final List<TransportVariant> ways, final boolean onePlace) {
        return new NetPlan(ways, List.of(1024, 256 << 10), List.of(1, 4), 2, 3, false, onePlace);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void measuresEveryWayEveryTimeAndDrawsIt(final boolean fromMemory) throws Exception {
        final boolean onePlace = !fromMemory;
        final NetPlan plan = plan(SOCKETS, onePlace);
        final NetResult result = benchmark(fromMemory).run(plan, Monitor.NONE);

        assertThat(result.notes()).isEmpty();
        assertThat(result.rows()).hasSize(plan.samples());
        assertThat(result.rows())
                .allSatisfy(
                        row -> {
                            assertThat(row.messages()).isPositive();
                            assertThat(row.seconds()).isPositive();
                            assertThat(Double.isNaN(row.medianMicros()))
                                    .isEqualTo(row.window() > 1);
                        });
        assertThat(result.rows())
                .anySatisfy(row -> assertThat(row.serverCpuSeconds()).isPositive());
        assertThat(result.text(MACHINE))
                .contains("tcp : raw-tcp", "Request to answer", "Bandwidth, GB/s (4 in flight)")
                .contains(fromMemory ? "from memory into arrays" : "from a file into arrays")
                .contains(onePlace ? "one message, again and again" : "1m of data");
        final List<Path> files = result.write(folder.resolve("out"), MACHINE);
        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly(
                        "net.csv",
                        "net.txt",
                        "latency.svg",
                        "latency.png",
                        "bandwidth.svg",
                        "bandwidth.png");
        final List<String> csv = Files.readAllLines(files.get(0));
        assertThat(csv).hasSize(plan.samples() + 1);
        assertThat(NetRow.parse(csv.get(1), ",").way()).isEqualTo(SOCKETS.get(0));
    }

    @Test
    void saysWhyAWayIsNotMeasuredAndMeasuresTheOthers() {
        final TransportVariant impossible =
                new TransportVariant(TransportVariant.Kind.UCX, "nosuchtransport");
        final NetResult result =
                benchmark(true)
                        .run(
                                plan(
                                        List.of(
                                                new TransportVariant(TransportVariant.Kind.RAW_TCP),
                                                impossible)),
                                Monitor.NONE);

        assertThat(result.notes()).hasSize(1);
        assertThat(result.notes().get(0)).startsWith("ucx/nosuchtransport: ");
        assertThat(result.ways())
                .containsExactly(new TransportVariant(TransportVariant.Kind.RAW_TCP));
        assertThat(result.text(MACHINE)).contains("Not measured: ucx/nosuchtransport: ");
    }

    @Test
    void measuresMpiByTheRankOfItsHostBesideTheLibrary() {
        assumeTrue(isMpiInstalled(), "no launcher and compiler of MPI");
        final List<TransportVariant> ways =
                List.of(
                        new TransportVariant(TransportVariant.Kind.MPI),
                        new TransportVariant(TransportVariant.Kind.MPI_LIBRARY),
                        new TransportVariant(TransportVariant.Kind.SEMEM));
        final NetPlan plan =
                new NetPlan(ways, List.of(1024, 64 << 10), List.of(1, 16), 1, 2, true, false);
        final NetResult result = benchmark(true).run(plan, Monitor.NONE);

        assertThat(result.notes()).isEmpty();
        assertThat(result.rows()).hasSize(plan.samples());
        assertThat(result.text(MACHINE))
                .contains("SEMem's way : mpi library", "bandwidth of the library's, 64k, 16");
    }

    private static boolean isMpiInstalled() {
        try {
            final Mpirun mpirun = Mpirun.find(Mpirun.ANY, System.getenv("PATH"));
            return Files.isExecutable(Path.of(mpirun.compiler()));
        } catch (final IOException e) {
            return false;
        }
    }

    @Test
    void servesAnotherProcessThatKnowsTheSecretOnly() throws Exception {
        final NetBenchmark.Endpoint any =
                NetBenchmark.Endpoint.parse("--serve", "127.0.0.1:0", NetBenchmark.newSecret());
        final CompletableFuture<Integer> port = new CompletableFuture<>();
        final NetBenchmark benchmark = benchmark(true);
        final CompletableFuture<Throwable> end = new CompletableFuture<>();
        final Thread server =
                new Thread(
                        () ->
                                end.complete(
                                        catchThrowable(
                                                () -> benchmark.serve(any, port::complete))));
        server.setDaemon(true);
        server.start();
        final String address = "127.0.0.1:" + port.get(60, TimeUnit.SECONDS);
        final NetPlan plan = plan(List.of(new TransportVariant(TransportVariant.Kind.TCP)));

        final NetBenchmark.Endpoint stranger =
                NetBenchmark.Endpoint.parse("--connect", address, NetBenchmark.newSecret());
        assertThatThrownBy(() -> benchmark.run(plan, stranger, Monitor.NONE))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("refuses: the secret is another one");
        final NetBenchmark.Endpoint friend =
                NetBenchmark.Endpoint.parse("--connect", address, any.secret());
        assertThat(benchmark.run(plan, friend, Monitor.NONE).rows()).hasSize(plan.samples());
        server.interrupt();
        assertThat(end.get(60, TimeUnit.SECONDS)).hasMessage("interrupted");
    }
}
