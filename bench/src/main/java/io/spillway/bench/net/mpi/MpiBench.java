package io.spillway.bench.net.mpi;

import io.spillway.bench.mpi.Mpirun;
import io.spillway.transport.mpi.library.MpiProgram;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The program in C that measures the MPI library itself: two ranks a run. Used by one thread. */
public final class MpiBench {
    private static final String NAME = "mpi_bench";
    private static final double NANOS = 1e9;
    private static final long PATIENCE_SECONDS = 60;
    private static final String NUMBER = " (\\d+\\.\\d+)";

    /** Messages; seconds; microseconds of the median; CPU seconds of both ranks. */
    private static final Pattern LINE = Pattern.compile(NAME + " (\\d+)" + NUMBER.repeat(4));

    private final Mpirun mpirun;
    private final Path program;

    /** What a run does. */
    public enum Mode {
        /** A message to and fro: half of the time of both. */
        LATENCY,
        /** Several messages in flight all the time, one way. */
        BANDWIDTH,
        /** A request, then a whole segment as one message: as SEMem does it. */
        REQUEST
    }

    /**
     * What a run has found.
     *
     * @param messages that came
     * @param nanos they took
     * @param medianMicros of a message; 0 with {@link Mode#BANDWIDTH}
     * @param clientCpuNanos of the rank that receives
     * @param serverCpuNanos of the rank that sends
     */
    public record Figures(
            long messages,
            long nanos,
            double medianMicros,
            long clientCpuNanos,
            long serverCpuNanos) {}

    /**
     * Compiles the program, unless it is in the cache.
     *
     * @param compiler of the launcher's library
     * @throws IOException that says what to change
     */
    public MpiBench(final Mpirun mpirun, final String compiler) throws IOException {
        this.mpirun = mpirun;
        try (InputStream source = MpiBench.class.getResourceAsStream(NAME + ".c")) {
            if (source == null) {
                throw new IOException(NAME + ".c is missing in Spillway's jar: build it again");
            }
            program = MpiProgram.build(compiler, NAME, source.readAllBytes());
        }
    }

    /**
     * Runs it.
     *
     * @param bytes of a message
     * @param window messages in flight
     * @param data bytes that are sent piece by piece; {@code bytes} for one place
     * @param nanos about how long
     */
    public Figures run(
            final Mode mode, final int bytes, final int window, final long data, final long nanos)
            throws IOException, InterruptedException {
        final List<String> command =
                List.of(
                        program.toString(),
                        mode.name().toLowerCase(Locale.ROOT),
                        String.valueOf(bytes),
                        String.valueOf(window),
                        String.valueOf(data),
                        String.format(Locale.ROOT, "%.6f", nanos / NANOS));
        final Process process = mpirun.ranks(2, command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        // What it prints is a few lines: they fit into the pipe, so that it does not wait for us.
        if (!process.waitFor(
                PATIENCE_SECONDS + TimeUnit.NANOSECONDS.toSeconds(nanos), TimeUnit.SECONDS)) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            throw new IOException(command + " has not ended in time");
        }
        final String output =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return parse(output)
                .orElseThrow(
                        () ->
                                new IOException(
                                        mpirun.program() + ", " + command + " says " + output));
    }

    /** The figures among what ranks and their launcher print; nothing where there are none. */
    static Optional<Figures> parse(final String output) {
        final Matcher line = LINE.matcher(output);
        if (!line.find()) {
            return Optional.empty();
        }
        return Optional.of(
                new Figures(
                        Long.parseLong(line.group(1)),
                        nanos(line.group(2)),
                        Double.parseDouble(line.group(3)),
                        nanos(line.group(4)),
                        nanos(line.group(5))));
    }

    private static long nanos(final String seconds) {
        return (long) (Double.parseDouble(seconds) * NANOS);
    }
}
