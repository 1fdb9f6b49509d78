// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** HKDF with SHA-256 (RFC 5869): makes keys of a secret. */
public final class Hkdf {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int HASH_LENGTH = 32;
    private static final int MAX_BLOCKS = 255;

    private Hkdf() {}

    /**
     * The first step: a key of fixed length.
     *
     * @param salt not secret; not empty
     * @param secret what the keys are made of
     */
    public static byte[] extract(final byte[] salt, final byte[] secret) {
        return mac(salt).doFinal(secret);
    }

    /**
     * The second step: as many bytes as are asked for.
     *
     * @param key of the first step
     * @param info what the bytes are for: other bytes for each
     * @param length 1 to 8,160
     */
    public static byte[] expand(final byte[] key, final byte[] info, final int length) {
        if (length < 1 || length > MAX_BLOCKS * HASH_LENGTH) {
            throw new IllegalArgumentException(
                    "length=" + length + ", expected 1 to " + MAX_BLOCKS * HASH_LENGTH);
        }
        final Mac mac = mac(key);
        final byte[] bytes = new byte[length];
        byte[] block = new byte[0];
        for (int done = 0, number = 1; done < length; done += block.length, number++) {
            mac.update(block);
            mac.update(info);
            mac.update((byte) number);
            block = mac.doFinal();
            System.arraycopy(block, 0, bytes, done, Math.min(block.length, length - done));
        }
        Arrays.fill(block, (byte) 0);
        return bytes;
    }

    private static Mac mac(final byte[] key) {
        try {
            final Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            return mac;
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException(ALGORITHM + " is missing; every Java has it", e);
        }
    }
}
