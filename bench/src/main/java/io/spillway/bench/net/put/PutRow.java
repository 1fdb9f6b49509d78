package io.spillway.bench.net.put;

import io.spillway.bench.BenchException;
import java.util.List;
import java.util.Locale;

/**
 * One sample. Immutable.
 *
 * @param way over which
 * @param piece bytes of a piece
 * @param round from 1
 * @param phase of the two processes' lives
 * @param bytes that were put
 * @param seconds that took
 * @param senderCpuSeconds CPU of the process that put
 * @param receiverCpuSeconds CPU of the process that took
 */
public record PutRow(
        String way,
        int piece,
        int round,
        Phase phase,
        long bytes,
        double seconds,
        double senderCpuSeconds,
        double receiverCpuSeconds) {
    /** When in the life of the two processes. */
    public enum Phase {
        /** The first bytes that they put and take, connecting included. */
        FIRST,
        /** After the warm-up, into memory that was used before. */
        STEADY
    }

    private static final double GIGA = 1e9;
    private static final int FIELDS = 8;

    /** Gigabytes a second. */
    double gigabytesPerSecond() {
        return bytes / GIGA / seconds;
    }

    /** CPU seconds of the process that puts, for a gigabyte. */
    double senderSecondsPerGigabyte() {
        return senderCpuSeconds * GIGA / bytes;
    }

    /** CPU seconds of the process that takes, for a gigabyte. */
    double receiverSecondsPerGigabyte() {
        return receiverCpuSeconds * GIGA / bytes;
    }

    /** All fields, in their order. */
    String text(final String separator) {
        return String.join(
                separator,
                way,
                String.valueOf(piece),
                String.valueOf(round),
                phase.name(),
                String.valueOf(bytes),
                String.format(Locale.ROOT, "%.6f", seconds),
                String.format(Locale.ROOT, "%.4f", senderCpuSeconds),
                String.format(Locale.ROOT, "%.4f", receiverCpuSeconds));
    }

    /** Reads what {@link #text} gave. */
    static PutRow parse(final String text, final String separator) {
        final List<String> fields = List.of(text.split(separator, -1));
        if (fields.size() != FIELDS) {
            throw new BenchException("a sample of " + fields.size() + " fields: " + text);
        }
        return new PutRow(
                fields.get(0),
                Integer.parseInt(fields.get(1)),
                Integer.parseInt(fields.get(2)),
                Phase.valueOf(fields.get(3)),
                Long.parseLong(fields.get(4)),
                Double.parseDouble(fields.get(5)),
                Double.parseDouble(fields.get(6)),
                Double.parseDouble(fields.get(7)));
    }
}
