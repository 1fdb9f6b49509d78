package io.spillway.bench.net;

import io.spillway.bench.BenchException;
import java.util.List;
import java.util.Locale;

/**
 * One sample. Immutable.
 *
 * @param way over which
 * @param bytes of a message
 * @param window messages in flight
 * @param repeat from 1
 * @param messages that came
 * @param seconds they took
 * @param medianMicros from a request to its answer; NaN for several in flight
 * @param clientCpuSeconds CPU of the process that measured
 * @param serverCpuSeconds CPU of the process that served
 * @param proxyCpuSeconds CPU of the rank of the measuring process's host; 0 without MPI
 */
record NetRow(
        TransportVariant way,
        int bytes,
        int window,
        int repeat,
        long messages,
        double seconds,
        double medianMicros,
        double clientCpuSeconds,
        double serverCpuSeconds,
        double proxyCpuSeconds) {
    /** The names of the columns. */
    static final String HEAD =
            "way,bytes,window,repeat,messages,seconds,mb_per_second,median_us,client_cpu_seconds,"
                    + "server_cpu_seconds,proxy_cpu_seconds";

    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;
    private static final int FIELDS = 11;

    static NetRow of(
            final TransportVariant way,
            final int bytes,
            final int window,
            final int repeat,
            final Traffic.Sample sample) {
        return new NetRow(
                way,
                bytes,
                window,
                repeat,
                sample.messages(),
                sample.nanos() / NANOS,
                sample.medianMicros(),
                sample.clientCpuNanos() / NANOS,
                sample.serverCpuNanos() / NANOS,
                sample.proxyCpuNanos() / NANOS);
    }

    /** Millions of bytes a second. */
    double megabytesPerSecond() {
        return messages * (double) bytes / seconds / MEGA;
    }

    /** CPU seconds of both sides for a gigabyte, a rank between them included. */
    double cpuSecondsPerGigabyte() {
        return perGigabyte(clientCpuSeconds + serverCpuSeconds + proxyCpuSeconds);
    }

    /** Such seconds for a gigabyte. */
    double perGigabyte(final double cpuSeconds) {
        return cpuSeconds / (messages * (double) bytes / GIGA);
    }

    /** All fields, in the order of {@link #HEAD}. */
    String text(final String separator) {
        return String.join(
                separator,
                way.label(),
                String.valueOf(bytes),
                String.valueOf(window),
                String.valueOf(repeat),
                String.valueOf(messages),
                String.format(Locale.ROOT, "%.6f", seconds),
                String.format(Locale.ROOT, "%.2f", megabytesPerSecond()),
                Double.isNaN(medianMicros) ? "" : String.format(Locale.ROOT, "%.2f", medianMicros),
                String.format(Locale.ROOT, "%.4f", clientCpuSeconds),
                String.format(Locale.ROOT, "%.4f", serverCpuSeconds),
                String.format(Locale.ROOT, "%.4f", proxyCpuSeconds));
    }

    /** Reads what {@link #text} gave. */
    static NetRow parse(final String text, final String separator) {
        final List<String> fields = List.of(text.split(separator, -1));
        if (fields.size() != FIELDS) {
            throw new BenchException("a sample of " + fields.size() + " fields: " + text);
        }
        return new NetRow(
                TransportVariant.parse(fields.get(0)),
                Integer.parseInt(fields.get(1)),
                Integer.parseInt(fields.get(2)),
                Integer.parseInt(fields.get(3)),
                Long.parseLong(fields.get(4)),
                Double.parseDouble(fields.get(5)),
                fields.get(7).isEmpty() ? Double.NaN : Double.parseDouble(fields.get(7)),
                Double.parseDouble(fields.get(8)),
                Double.parseDouble(fields.get(9)),
                Double.parseDouble(fields.get(10)));
    }
}
