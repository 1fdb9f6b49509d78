package io.spillway.wire.handshake;

import io.spillway.wire.FrameReader;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.Texts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Objects;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proves that its maker knows the job's shuffle secret: HmacSHA256, keyed by the secret, over the
 * maker's role, both nonces, the node's epoch, the job and the protocol's version. Immutable.
 */
public final class Proof {
    /** The bytes of a proof. */
    public static final int LENGTH = 32;

    private static final String ALGORITHM = "HmacSHA256";

    /** Who makes the proof: so that neither side can send the other's back. */
    public enum Role {
        /** The side that fetches. */
        CLIENT("spillway client"),
        /** The side that serves. */
        NODE("spillway node");

        private final String label;

        Role(final String label) {
            this.label = label;
        }
    }

    private final byte[] bytes;

    private Proof(final byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * Makes a proof.
     *
     * @param secret the job's shuffle secret, not empty
     * @throws IllegalArgumentException when the secret is empty
     */
    public static Proof of(
            final Role role,
            final byte[] secret,
            final Nonce client,
            final Nonce node,
            final long epoch,
            final String jobId) {
        final byte[] label = role.label.getBytes(StandardCharsets.US_ASCII);
        final byte[] job = jobId.getBytes(StandardCharsets.US_ASCII);
        final ByteBuffer text =
                ByteBuffer.allocate(
                        2 + label.length + 2 * Nonce.LENGTH + Long.BYTES + 2 + job.length + 1);
        Texts.put(text, label);
        client.encode(text);
        node.encode(text);
        text.putLong(epoch);
        Texts.put(text, job);
        text.put(FrameType.VERSION);
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
            return new Proof(mac.doFinal(text.array()));
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
