// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import io.spillway.frame.FrameHeader;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Random;

/** What no client sends, drawn from a seed: noise, and what looks right at first. */
final class Garbage {
    private static final int MOST_NOISE = 8_000;
    private static final int MOST_CHANGES = 8;
    private static final int KINDS = 5;
    private static final int ROOM = 64 << 10;

    private final Random random;
    private final String jobId;

    /**
     * Creates a source.
     *
     * @param jobId of a job that is served
     */
    Garbage(final long seed, final String jobId) {
        this.random = new Random(seed);
        this.jobId = jobId;
    }

    int draw(final int bound) {
        return random.nextInt(bound);
    }

    /** The next. */
    byte[] next() {
        return switch (random.nextInt(KINDS)) {
            case 0 -> noise(random.nextInt(MOST_NOISE));
            case 1 -> changed(hello());
            case 2 -> Arrays.copyOf(hello(), 1 + random.nextInt(hello().length));
            case 3 -> changed(request());
            default -> frames();
        };
    }

    private byte[] noise(final int length) {
        final byte[] noise = new byte[length];
        random.nextBytes(noise);
        return noise;
    }

    private byte[] changed(final byte[] bytes) {
        for (int i = random.nextInt(MOST_CHANGES); i >= 0; i--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    private byte[] hello() {
        final ByteBuffer out = ByteBuffer.allocate(HelloFrame.MAX_LENGTH);
        new HelloFrame(
                        Nonce.random(new SecureRandom()),
                        FrameType.VERSIONS,
                        HelloFrame.NOT_DIALLED,
                        jobId)
                .encode(out, FrameType.V13);
        return Arrays.copyOf(out.array(), out.position());
    }

    private byte[] request() {
        return ("GET /mapOutput?job="
                        + jobId
                        + "&reduce=0&map=attempt_1_1_m_000000_0 HTTP/1.1\r\n"
                        + "name: mapreduce\r\nversion: 1.0.0\r\nUrlHash: AAAA\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
    }

    /** A right beginning, then frames of any type and length with anything in them. */
    private byte[] frames() {
        final ByteBuffer out = ByteBuffer.allocate(ROOM);
        out.put(hello());
        final FrameType[] types = FrameType.values();
        for (int i = random.nextInt(4); i >= 0; i--) {
            final byte[] body = noise(random.nextInt(1_000));
            final int told = random.nextInt(4) == 0 ? random.nextInt() : body.length;
            FrameHeader.encode(out, types[random.nextInt(types.length)], FrameType.V13, told);
            out.put(body);
        }
        return Arrays.copyOf(out.array(), out.position());
    }
}
