package io.spillway.bench.net;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One process of UCX's own test, {@code ucx_perftest}, and what it prints. */
final class PerfTest {
    /** Where it is looked for. */
    static final String COMMAND = "ucx_perftest";

    private static final long POLL_MILLIS = 5;
    private static final double BYTES_PER_MB = 1 << 20; // so it counts
    private static final String NUMBER = "(\\d+(?:\\.\\d+)?)";

    /** Iterations; latencies of the median, the average, over all; MB/s; messages a second. */
    private static final Pattern LINE =
            Pattern.compile(
                    "^(?:\\[[^]]*\\]|Final:)?\\s*(\\d+),"
                            + (NUMBER + ",").repeat(4)
                            + NUMBER
                            + ".*");

    private static final int ITERATIONS = 1;
    private static final int MEDIAN = 2;
    private static final int OVERALL_RATE = 6;

    private PerfTest() {}

    /**
     * What the last line says, which is of the whole test.
     *
     * @param iterations messages
     * @param medianMicros of a message one way, in a latency test
     * @param bytesPerSecond over the whole test
     */
    record Figures(long iterations, double medianMicros, double bytesPerSecond) {}

    /** How a process ended. */
    record End(boolean succeeded, long cpuNanos, List<String> output) {}

    /** Whether the program is on the path. */
    static boolean isInstalled() {
        final String path = Optional.ofNullable(System.getenv("PATH")).orElse("");
        for (final String folder : path.split(":", -1)) {
            if (!folder.isEmpty() && Files.isExecutable(Path.of(folder).resolve(COMMAND))) {
                return true;
            }
        }
        return false;
    }

    /** The last line of figures among the lines of CSV; nothing where there is none. */
    static Optional<Figures> parse(final List<String> output) {
        Optional<Figures> last = Optional.empty();
        for (final String line : output) {
            final Matcher matcher = LINE.matcher(line.trim());
            if (matcher.matches()) {
                last =
                        Optional.of(
                                new Figures(
                                        Long.parseLong(matcher.group(ITERATIONS)),
                                        Double.parseDouble(matcher.group(MEDIAN)),
                                        Double.parseDouble(matcher.group(OVERALL_RATE))
                                                * BYTES_PER_MB));
            }
        }
        return last;
    }

    /** Starts it as the side that waits. */
    static Process serve(final int port, final Map<String, String> environment) throws IOException {
        return start(List.of("-p", String.valueOf(port)), environment);
    }

    /** Starts it as the side that measures. */
    static Process measure(
            final String host,
            final int port,
            final List<String> arguments,
            final Map<String, String> environment)
            throws IOException {
        final List<String> all = new ArrayList<>(List.of(host, "-p", String.valueOf(port), "-v"));
        all.addAll(arguments);
        return start(all, environment);
    }

    private static Process start(
            final List<String> arguments, final Map<String, String> environment)
            throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(COMMAND);
        command.addAll(arguments);
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        return builder.start();
    }

    /** Waits for its end, and kills it when that takes too long. */
    static End await(final Process process, final Duration patience)
            throws IOException, InterruptedException {
        final long deadline = System.nanoTime() + patience.toNanos();
        long cpu = 0;
        boolean ended = false;
        while (!ended && System.nanoTime() < deadline) {
            cpu = process.info().totalCpuDuration().map(Duration::toNanos).orElse(cpu);
            ended = process.waitFor(POLL_MILLIS, TimeUnit.MILLISECONDS);
        }
        if (!ended) {
            process.destroyForcibly().waitFor();
        }
        final List<String> lines = new ArrayList<>();
        try (BufferedReader output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            output.lines().forEach(lines::add);
        }
        return new End(ended && process.exitValue() == 0, cpu, List.copyOf(lines));
    }
}
