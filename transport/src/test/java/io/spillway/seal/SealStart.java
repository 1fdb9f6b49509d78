// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.MalformedFrameException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;

/**
 * What sealing and opening cost a JVM that begins: CPU for each 64 MiB, until the compiler has come
 * to the processor's instructions, and after. A process measures one of the two; JMH would warm up.
 */
public final class SealStart {
    private static final byte[] KEY = new byte[16];
    private static final byte[] RECORD = new byte[RecordSeal.MAX_LENGTH + RecordSeal.TAG_LENGTH];
    private static final int ROUNDS = 16;
    private static final int ROUND_BYTES = 64 << 20;
    private static final int PIECE = 8 << 20;
    private static final double NANOS = 1e9;

    private SealStart() {}

    /** Prints a line; the argument is {@code seal} or {@code open}. */
    public static void main(final String[] arguments) throws MalformedFrameException {
        final boolean opens = arguments.length == 1 && "open".equals(arguments[0]);
        if (!opens && !(arguments.length == 1 && "seal".equals(arguments[0]))) {
            throw new IllegalArgumentException("expected one argument: seal or open");
        }
        final ByteBuffer plain = ByteBuffer.allocateDirect(PIECE);
        final ByteBuffer sealed = ByteBuffer.allocateDirect((int) RecordSeal.sealedLength(PIECE));
        final StringBuilder line =
                new StringBuilder(opens ? "open" : "seal").append(", s of 64 MiB:");
        final long begin = processNanos();
        for (int round = 0; round < ROUNDS; round++) {
            final long start = threadNanos();
            for (int done = 0; done < ROUND_BYTES; done += PIECE) {
                if (opens) {
                    open(plain, sealed);
                } else {
                    seal(plain, sealed);
                }
            }
            line.append(String.format(Locale.ROOT, " %.3f", (threadNanos() - start) / NANOS));
        }
        System.out.println(line);
        System.out.printf(
                Locale.ROOT,
                "All threads, %d MiB: %.2f s%n",
                ((long) ROUNDS * ROUND_BYTES) >> 20,
                (processNanos() - begin) / NANOS);
    }

    private static void seal(final ByteBuffer plain, final ByteBuffer sealed) {
        final RecordSeal seal = new RecordSeal(KEY);
        seal.seal(seal.reserve(PIECE), plain.clear(), sealed.clear());
    }

    /** Opens what was sealed once, as a session from its first record on. */
    private static void open(final ByteBuffer plain, final ByteBuffer sealed)
            throws MalformedFrameException {
        if (sealed.getInt(0) == 0) {
            seal(plain, sealed);
        }
        sealed.clear();
        plain.clear();
        final RecordSeal seal = new RecordSeal(KEY);
        while (sealed.hasRemaining()) {
            final int length = sealed.getInt();
            sealed.get(RECORD, 0, length + RecordSeal.TAG_LENGTH);
            seal.open(RECORD, 0, length);
            plain.put(RECORD, 0, length);
        }
    }

    private static long threadNanos() {
        return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
    }

    private static long processNanos() {
        return ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .map(Duration::toNanos)
                .orElseThrow();
    }
}
