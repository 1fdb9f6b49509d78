package io.spillway.bench.net;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * UCX's own test between the two hosts, in processes of its own. With one request in flight it
 * measures a small message one way and a large one the other, as a fetch is; with several it
 * streams one way.
 */
final class PerfTestTraffic implements Traffic {
    /** What it is started with, time in seconds to start and end included. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What the transport cannot do without, so that both have the same. */
    private static final String ERROR_HANDLING = "-e";

    private static final String WAKE_UP = "-I";

    private static final int SMALL_BYTES = 16;
    private static final int TRIES = 20;
    private static final long PAUSE_MILLIS = 50;
    private static final double FIRST_GUESS_BYTES_PER_SECOND = 1e9;
    private static final double FIRST_GUESS_SECONDS = 20e-6;
    private static final int MOST_ITERATIONS = 2_000_000;
    private static final double NANOS = 1e9;
    private static final double MICROS = 1e6;

    private final Control control;
    private final String host;
    private final TransportVariant way;
    private final Map<String, String> environment;
    private double smallMicros = Double.NaN;

    PerfTestTraffic(
            final Control control,
            final String host,
            final TransportVariant way,
            final Map<String, String> properties) {
        this.control = control;
        this.host = host;
        this.way = way;
        this.environment = NetServerMain.environment(way, properties);
    }

    @Override
    public Sample run(final int bytes, final int window, final long nanos)
            throws IOException, InterruptedException {
        return window == 1 ? latency(bytes, nanos) : bandwidth(bytes, window, nanos);
    }

    private Sample latency(final int bytes, final long nanos)
            throws IOException, InterruptedException {
        if (Double.isNaN(smallMicros)) {
            smallMicros = test("ucp_am_lat", SMALL_BYTES, 0, nanos).figures().medianMicros();
        }
        final Outcome outcome = test("ucp_am_lat", bytes, 0, nanos);
        final double micros = smallMicros + outcome.figures().medianMicros();
        final long messages = outcome.figures().iterations();
        return new Sample(
                messages,
                (long) (messages * micros / MICROS * NANOS),
                micros,
                outcome.clientCpu(),
                outcome.serverCpu(),
                0);
    }

    private Sample bandwidth(final int bytes, final int window, final long nanos)
            throws IOException, InterruptedException {
        final Outcome outcome = test("ucp_am_bw", bytes, window, nanos);
        final long messages = outcome.figures().iterations();
        final double seconds = messages * (double) bytes / outcome.figures().bytesPerSecond();
        return new Sample(
                messages,
                (long) (seconds * NANOS),
                Double.NaN,
                outcome.clientCpu(),
                outcome.serverCpu(),
                0);
    }

    private record Outcome(PerfTest.Figures figures, long clientCpu, long serverCpu) {}

    /** A test whose iterations are guessed to take as long as asked for. */
    private Outcome test(
            final String name, final int bytes, final int outstanding, final long nanos)
            throws IOException, InterruptedException {
        final double each = FIRST_GUESS_SECONDS + bytes / FIRST_GUESS_BYTES_PER_SECOND;
        final long iterations =
                Math.max(10, Math.min(MOST_ITERATIONS, (long) (nanos / NANOS / each)));
        final List<String> arguments =
                new ArrayList<>(
                        List.of(
                                "-t",
                                name,
                                "-s",
                                String.valueOf(bytes),
                                "-n",
                                String.valueOf(iterations),
                                "-w",
                                String.valueOf(Math.max(5, iterations / 10)),
                                ERROR_HANDLING,
                                WAKE_UP));
        if (outstanding > 0) {
            arguments.addAll(List.of("-O", String.valueOf(outstanding)));
        }
        return run(arguments);
    }

    private Outcome run(final List<String> arguments) throws IOException, InterruptedException {
        final int port = Integer.parseInt(NetClientMain.requireAt(control, way));
        PerfTest.End end = null;
        for (int i = 0; i < TRIES; i++) {
            end = PerfTest.await(PerfTest.measure(host, port, arguments, environment), PATIENCE);
            if (end.succeeded() || !end.output().toString().contains("onnect")) {
                break;
            }
            Thread.sleep(PAUSE_MILLIS); // the other side does not listen yet
        }
        final long serverCpu =
                Long.parseLong(control.ask("perftest-end").substring("cpu ".length()));
        final List<String> output = end.output();
        final long clientCpu = end.cpuNanos();
        return PerfTest.parse(output)
                .map(figures -> new Outcome(figures, clientCpu, serverCpu))
                .orElseThrow(
                        () ->
                                new IOException(
                                        PerfTest.COMMAND + " " + arguments + " says " + output));
    }

    @Override
    public void close() {}
}
