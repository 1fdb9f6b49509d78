// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;

/** Random bytes, new for every connection, so that no proof can be used twice. Immutable. */
public final class Nonce {
    /** The bytes of a nonce. */
    public static final int LENGTH = 16;

    private final byte[] bytes;

    /**
     * The second half of a node's nonce in a session of version 12, where the node speaks a newer
     * version: {@code SPWY}, and the same with each bit turned. Version 12 has no other field for
     * it, and its proofs cover the nonces.
     */
    private static final long NEWER_NODE = 0x53505759_ACAFA8A6L;

    private Nonce(final byte[] bytes) {
        this.bytes = bytes;
    }

    /** A new one. */
    public static Nonce random(final SecureRandom random) {
        final byte[] bytes = new byte[LENGTH];
        random.nextBytes(bytes);
        return new Nonce(bytes);
    }

    /** A new one of a node that speaks a newer version than the client has asked for. */
    public static Nonce ofNewerNode(final SecureRandom random) {
        final Nonce nonce = random(random);
        ByteBuffer.wrap(nonce.bytes).putLong(LENGTH - Long.BYTES, NEWER_NODE);
        return nonce;
    }

    /** Whether the node that has chosen it speaks a newer version than 12. */
    public boolean isOfNewerNode() {
        return ByteBuffer.wrap(bytes).getLong(LENGTH - Long.BYTES) == NEWER_NODE;
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
