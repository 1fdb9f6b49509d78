// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves that its maker knows the job's shuffle secret: HmacSHA256, keyed by the secret, over what
 * a {@link Transcript} says, or what a protocol of a host has agreed on. Immutable.
 */
public final class Proof {
    /** The bytes of a proof. */
    public static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    /** Stands where no proof has been made yet; it matches nothing that is one. */
    static final Proof NONE = new Proof(new byte[LENGTH]);

    private final byte[] bytes;

    private Proof(final byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Makes a proof.
     *
     * @param secret the job's shuffle secret, not empty
     * @param text what the proof covers: all that remains
     * @throws IllegalArgumentException when the secret is empty
     */
    public static Proof of(final byte[] secret, final ByteBuffer text) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            mac.update(text);
            return new Proof(mac.doFinal());
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java has it", e);
        }
    }

    /** Whether both are the same; takes the same time wherever they differ. */
    public boolean matches(final Proof other) {
        return MessageDigest.isEqual(bytes, Objects.requireNonNull(other, "other").bytes);
    }

    static Proof decode(final FrameReader in) throws MalformedFrameException {
        return new Proof(in.bytes("proof", LENGTH));
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    void encode(final ByteBuffer out) {
        out.put(bytes);
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof Proof proof && matches(proof);
    }

    @Override
    public int hashCode() {
        return ByteBuffer.wrap(bytes).getInt();
    }

    @Override
    public String toString() {
        return "Proof";
    }
}
