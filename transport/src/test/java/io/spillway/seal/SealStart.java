// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.MalformedFrameException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * What sealing and opening cost a JVM that begins: CPU for each 64 MiB, until the compiler has come
 * to the processor's instructions, and after. A process measures one of the two; JMH would warm up.
 */
public final class SealStart {
    private static final byte[] SECRET = new byte[SealKeys.SECRET_LENGTH];
    private static final byte[] RECORD = new byte[RecordSeal.MAX_LENGTH + RecordSeal.TAG_LENGTH];
    private static final int ROUNDS = 16;
    private static final int ROUND_BYTES = 64 << 20;
    private static final int PIECE = 8 << 20;
    private static final double NANOS = 1e9;

    private SealStart() {}

    /**
     * Prints two lines.
     *
     * @param arguments {@code seal} or {@code open}, and {@code integrity} or {@code privacy}
     */
    public static void main(final String[] arguments) throws MalformedFrameException {
        if (arguments.length != 2 || !List.of("seal", "open").contains(arguments[0])) {
            throw new IllegalArgumentException("expected seal or open, then integrity or privacy");
        }
        final boolean opens = "open".equals(arguments[0]);
        final SealKeys keys =
                SealKeys.of(Protection.valueOf(arguments[1].toUpperCase(Locale.ROOT)), SECRET);
        final ByteBuffer plain = ByteBuffer.allocateDirect(PIECE);
        final ByteBuffer sealed = ByteBuffer.allocateDirect((int) RecordSeal.sealedLength(PIECE));
        final StringBuilder line =
                new StringBuilder(String.join(" ", arguments)).append(", s of 64 MiB:");
        final long begin = processNanos();
        for (int round = 0; round < ROUNDS; round++) {
            final long start = threadNanos();
            for (int done = 0; done < ROUND_BYTES; done += PIECE) {
                if (opens) {
                    open(keys, plain, sealed);
                } else {
                    seal(keys, plain, sealed);
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

    private static void seal(final SealKeys keys, final ByteBuffer plain, final ByteBuffer sealed) {
        final RecordSeal seal = keys.records();
        seal.seal(seal.reserve(PIECE), plain.clear(), sealed.clear());
    }

    /** Opens what was sealed once, as a session from its first record on. */
    private static void open(final SealKeys keys, final ByteBuffer plain, final ByteBuffer sealed)
            throws MalformedFrameException {
        if (sealed.getInt(0) == 0) {
            seal(keys, plain, sealed);
        }
        sealed.clear();
        plain.clear();
        final RecordSeal seal = keys.records();
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
