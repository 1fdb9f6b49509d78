// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.groups.Tuple.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Monitor;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.lab.report.Machine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real processes and sockets; that they are fast is not asserted. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NetBenchmarkTest {
    private static final String SECRET = NetBenchmark.newSecret();
    private static final Map<String, String> IMPOSSIBLE =
            Map.of("spillway.ucx.tls", "nosuchtransport");

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

    private static NetPlan fetches(final boolean onePlace, final String... transports) {
        return new NetPlan(
                List.of(transports),
                List.of(1024L, 256L << 10),
                List.of(1, 4),
                2,
                50,
                false,
                1 << 20,
                onePlace,
                onePlace,
                Mpirun.ANY,
                IMPOSSIBLE);
    }

    private static NetPlan puts(final String... transports) {
        return new NetPlan(
                List.of(transports),
                List.of(1024L, 64L << 10),
                List.of(1),
                1,
                50,
                true,
                2 << 20,
                false,
                false,
                Mpirun.ANY,
                IMPOSSIBLE);
    }

    private NetBenchmark benchmark(final NetPlan plan) {
        return benchmark(plan, Optional.empty(), SECRET);
    }

    private NetBenchmark benchmark(
            final NetPlan plan, final Optional<String> elsewhere, final String secret) {
        return new NetBenchmark(
                List.of(System.getProperty("java.class.path").split(File.pathSeparator, -1)),
                folder.resolve("logs"),
                plan,
                elsewhere,
                secret);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void fetchesEverySizeEveryTimeAndWritesIt(final boolean onePlace) throws Exception {
        final NetResult result;
        try (NetBenchmark benchmark = benchmark(fetches(onePlace, "tcp"))) {
            result = benchmark.run(Monitor.NONE);
        }

        assertThat(result.notes()).isEmpty();
        assertThat(result.rows())
                .hasSize(8)
                .allSatisfy(
                        row -> {
                            assertThat(row.sample().messages()).isPositive();
                            assertThat(row.sample().nanos()).isPositive();
                            assertThat(Double.isNaN(row.medianMicros()))
                                    .isEqualTo(row.window() > 1);
                        });
        assertThat(result.rows())
                .anySatisfy(row -> assertThat(row.sample().clientCpuNanos()).isPositive())
                .anySatisfy(row -> assertThat(row.sample().serverCpuNanos()).isPositive());
        assertThat(result.text(MACHINE))
                .contains(onePlace ? "One message again and again" : "16m of data")
                .contains(onePlace ? "into arrays" : "into direct memory")
                .containsPattern("fetch +256k +4 +tcp +- ");
        final List<Path> files = result.write(folder.resolve("out"), MACHINE);
        assertThat(files)
                .extracting(file -> file.getFileName().toString())
                .containsExactly("net.csv", "net.txt");
        assertThat(Files.readAllLines(files.get(0))).hasSize(9).startsWith(NetRow.HEAD);
    }

    @Test
    void putsByYoungAndByOldProcesses() {
        final NetResult result;
        try (NetBenchmark benchmark = benchmark(puts("tcp", "ucx"))) {
            result = benchmark.run(Monitor.NONE);
        }

        assertThat(result.rows())
                .extracting(
                        row -> row.way() + " " + row.bytes() + " " + row.what(),
                        row -> row.bytes() * row.sample().messages())
                .containsExactly(
                        tuple("tcp 1024 YOUNG_PUT", 2L << 20),
                        tuple("tcp 1024 STEADY_PUT", 8L << 20),
                        tuple("tcp 65536 YOUNG_PUT", 2L << 20),
                        tuple("tcp 65536 STEADY_PUT", 8L << 20));
        assertThat(result.rows())
                .anySatisfy(row -> assertThat(row.sample().clientCpuNanos()).isPositive());
        assertThat(result.notes()).singleElement().asString().startsWith("ucx: ");
        assertThat(result.text(MACHINE))
                .containsPattern("steady put +64k +- +tcp ")
                .contains("Not measured: ucx: ");
    }

    @Test
    void saysWhyATransportIsNotMeasuredAndMeasuresTheOthers() {
        final NetResult result;
        try (NetBenchmark benchmark = benchmark(fetches(false, "ucx", "tcp"))) {
            result = benchmark.run(Monitor.NONE);
        }

        assertThat(result.notes()).singleElement().asString().startsWith("ucx: ");
        assertThat(result.rows())
                .hasSize(8)
                .allSatisfy(row -> assertThat(row.way()).isEqualTo("tcp"));
        assertThat(result.text(MACHINE)).contains("Not measured: ucx: ");
    }

    @Test
    void measuresMpiByTheRankOfItsHost() {
        assumeTrue(isMpiInstalled(), "no launcher and compiler of MPI");
        final NetResult result;
        try (NetBenchmark benchmark = benchmark(fetches(false, "mpi"))) {
            result = benchmark.run(Monitor.NONE);
        }

        assertThat(result.notes()).isEmpty();
        assertThat(result.rows())
                .hasSize(8)
                .anySatisfy(row -> assertThat(row.sample().proxyCpuNanos()).isPositive());
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
        final CompletableFuture<String> address = new CompletableFuture<>();
        final CompletableFuture<Throwable> end = new CompletableFuture<>();
        final NetPlan plan = fetches(false, "tcp");
        try (NetBenchmark serving = benchmark(plan)) {
            final Thread server =
                    new Thread(
                            () ->
                                    end.complete(
                                            catchThrowable(
                                                    () ->
                                                            serving.serve(
                                                                    "127.0.0.1",
                                                                    0,
                                                                    address::complete))));
            server.setDaemon(true);
            server.start();
            final Optional<String> node = Optional.of(address.get(60, TimeUnit.SECONDS));

            try (NetBenchmark stranger = benchmark(plan, node, NetBenchmark.newSecret())) {
                assertThatThrownBy(() -> stranger.run(Monitor.NONE))
                        .isInstanceOf(CommandException.class)
                        .hasMessageContaining("nothing was measured: tcp: ");
            }
            try (NetBenchmark friend = benchmark(plan, node, SECRET)) {
                assertThat(friend.run(Monitor.NONE).rows()).hasSize(8);
            }
            server.interrupt();
            assertThat(end.get(60, TimeUnit.SECONDS)).hasMessage("interrupted");
        }
    }
}
