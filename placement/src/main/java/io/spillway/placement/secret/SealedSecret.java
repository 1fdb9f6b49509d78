// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.secret;

import io.spillway.transport.serve.ServedJob;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * A job's shuffle secret, encrypted (AES-256-GCM) under a key made from the cluster's secret. It
 * opens for the same job and user only. Its bytes are a random nonce, the encrypted secret and the
 * tag. Immutable.
 */
public final class SealedSecret {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final String KEY = "AES";
    private static final int NONCE_LENGTH = 12;
    private static final int TAG_LENGTH = 16;
    private static final int OVERHEAD = NONCE_LENGTH + TAG_LENGTH;

    /** The fewest bytes: of a secret of one byte. */
    public static final int MIN_LENGTH = OVERHEAD + 1;

    /** The most bytes: of the longest secret of a job. */
    public static final int MAX_LENGTH = OVERHEAD + ServedJob.MAX_SECRET_LENGTH;

    /** Opens nowhere: what a node gets that has no use of the secret. */
    public static final SealedSecret NONE = new SealedSecret(new byte[MIN_LENGTH]);

    private final byte[] bytes;

    /**
     * Takes what another node has sealed.
     *
     * @param bytes {@link #MIN_LENGTH} to {@link #MAX_LENGTH} of them; copied
     */
    public SealedSecret(final byte[] bytes) {
        if (bytes.length < MIN_LENGTH || bytes.length > MAX_LENGTH) {
            throw new IllegalArgumentException(
                    "length of a sealed secret="
                            + bytes.length
                            + ", expected "
                            + MIN_LENGTH
                            + " to "
                            + MAX_LENGTH);
        }
        this.bytes = bytes.clone();
    }

    /**
     * Seals a secret.
     *
     * @param secret 1 to {@link ServedJob#MAX_SECRET_LENGTH} bytes
     */
    public static SealedSecret seal(
            final ClusterSecret cluster,
            final String jobId,
            final String user,
            final byte[] secret,
            final SecureRandom random) {
        final byte[] nonce = new byte[NONCE_LENGTH];
        random.nextBytes(nonce);
        try {
            final Cipher cipher = cipher(Cipher.ENCRYPT_MODE, cluster, nonce, jobId, user);
            final byte[] sealed = Arrays.copyOf(nonce, OVERHEAD + secret.length);
            cipher.doFinal(secret, 0, secret.length, sealed, NONCE_LENGTH);
            return new SealedSecret(sealed);
        } catch (final GeneralSecurityException e) {
            throw missing(e);
        }
    }

    /**
     * The secret.
     *
     * @throws AEADBadTagException where it was sealed under another cluster's secret, for another
     *     job or user, or has been changed
     */
    public byte[] open(final ClusterSecret cluster, final String jobId, final String user)
            throws AEADBadTagException {
        final byte[] nonce = Arrays.copyOf(bytes, NONCE_LENGTH);
        try {
            final Cipher cipher = cipher(Cipher.DECRYPT_MODE, cluster, nonce, jobId, user);
            return cipher.doFinal(bytes, NONCE_LENGTH, bytes.length - NONCE_LENGTH);
        } catch (final AEADBadTagException e) {
            throw e;
        } catch (final GeneralSecurityException e) {
            throw missing(e);
        }
    }

    private static Cipher cipher(
            final int mode,
            final ClusterSecret cluster,
            final byte[] nonce,
            final String jobId,
            final String user)
            throws GeneralSecurityException {
        final Cipher cipher = Cipher.getInstance(CIPHER);
        final GCMParameterSpec parameters = new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, nonce);
        cipher.init(mode, new SecretKeySpec(cluster.sealingKey(), KEY), parameters);
        cipher.updateAAD(associated(jobId, user));
        return cipher;
    }

    /** Lengths stand before the texts: no two pairs of them have the same bytes. */
    private static ByteBuffer associated(final String jobId, final String user) {
        final byte[] job = jobId.getBytes(StandardCharsets.UTF_8);
        final byte[] name = user.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(2 * Integer.BYTES + job.length + name.length)
                .putInt(job.length)
                .put(job)
                .putInt(name.length)
                .put(name)
                .flip();
    }

    private static IllegalStateException missing(final GeneralSecurityException cause) {
        return new IllegalStateException(CIPHER + " failed; every Java has it", cause);
    }

    /** A copy of its bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(final Object other) {
        return other instanceof SealedSecret secret && Arrays.equals(bytes, secret.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "SealedSecret";
    }
}
