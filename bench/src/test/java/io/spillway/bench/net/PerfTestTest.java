package io.spillway.bench.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PerfTestTest {
    private static final Map<String, String> TCP = Map.of("UCX_TLS", "tcp");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final int ATTEMPTS = 3;

    @Test
    void readsTheLastLineOfFigures() {
        final List<String> output =
                List.of(
                        "iterations,50.0_percentile_lat,avg_lat,overall_lat,avg_bw,overall_bw,avg_mr"
                            + ",overall_mr",
                        "[thread 0]   2,77.900,256.747,256.747,10.00,10.00,4,4",
                        "[thread 0]  50,12.250,13.100,14.200,100.00,95.50,1000,955");

        final PerfTest.Figures figures = PerfTest.parse(output).orElseThrow();

        assertThat(figures.iterations()).isEqualTo(50);
        assertThat(figures.medianMicros()).isEqualTo(12.25);
        assertThat(figures.bytesPerSecond()).isCloseTo(95.5 * (1 << 20), within(1.0));
    }

    @Test
    void findsNoFiguresInAnErrorMessage() {
        assertThat(PerfTest.parse(List.of("connect() failed: Connection refused"))).isEmpty();
        assertThat(PerfTest.parse(List.of())).isEmpty();
    }

    /** The program itself: what it prints today is what is read. */
    @Test
    void measuresWithTheProgramWhereItIsInstalled() throws Exception {
        assumeTrue(PerfTest.isInstalled(), PerfTest.COMMAND + " is not installed");
        PerfTest.End end = measureOnce();
        for (int i = 1; i < ATTEMPTS && !end.succeeded(); i++) {
            end = measureOnce();
        }
        assertThat(end.output().toString()).contains(",");
        final PerfTest.Figures figures = PerfTest.parse(end.output()).orElseThrow();
        assertThat(figures.iterations()).isEqualTo(20);
        assertThat(figures.bytesPerSecond()).isPositive();
    }

    /** Another process may take the port before the program does: then it is tried with another. */
    private static PerfTest.End measureOnce() throws Exception {
        final int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        final Process server = PerfTest.serve(port, TCP);
        try {
            PerfTest.End end = PerfTest.await(measurement(port), PATIENCE);
            while (server.isAlive() && !end.succeeded()) {
                Thread.sleep(100);
                end = PerfTest.await(measurement(port), PATIENCE);
            }
            return end;
        } finally {
            server.destroyForcibly();
        }
    }

    private static Process measurement(final int port) throws Exception {
        return PerfTest.measure(
                "127.0.0.1",
                port,
                List.of("-t", "ucp_am_bw", "-s", "4096", "-n", "20", "-w", "2", "-O", "4"),
                TCP);
    }
}
