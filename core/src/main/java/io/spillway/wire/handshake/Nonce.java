package io.spillway.wire.handshake;

import io.spillway.wire.FrameReader;
import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** Random bytes, new for every connection, so that no proof can be used twice. Immutable. */
public final class Nonce {
    /** The bytes of a nonce. */
    public static final int LENGTH = 16;

    private final byte[] bytes;

    private Nonce(final byte[] bytes) {
        this.bytes = bytes;
    }

    /** A new one. */
    public static Nonce random(final SecureRandom random) {
        final byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        return new Nonce(bytes);
    }

    static Nonce decode(final FrameReader in) throws MalformedFrameException {
        return new Nonce(in.bytes("nonce", LENGTH));
    }

    /** Writes the bytes. */
    public void encode(final ByteBuffer out) {
        out.put(bytes);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Nonce nonce && Arrays.equals(bytes, nonce.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return HexFormat.of().formatHex(bytes);
    }
}
