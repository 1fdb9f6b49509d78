// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import javax.crypto.spec.SecretKeySpec;

/**
 * Makes the keys of one direction of a session. Each key is used for a limited number of nonces,
 * then the next one follows: NIST SP 800-38D allows 2^32 nonces of a key. Immutable.
 */
public final class SealKeys {
    /** The length of the secret in bytes. */
    public static final int SECRET_LENGTH = 32;

    /** The bytes of a key. */
    public static final int LENGTH = 16;

    private static final byte[] RECORDS = "records".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] MESSAGES = "messages".getBytes(StandardCharsets.US_ASCII);
    private static final long MOST_NONCES = 1L << 32;

    private final Protection protection;
    private final byte[] secret;

    /** Version 13 has one key, which is the secret itself. */
    private final boolean hasOneKey;

    private SealKeys(final Protection protection, final byte[] secret, final boolean hasOneKey) {
        this.protection = protection;
        this.secret = secret;
        this.hasOneKey = hasOneKey;
    }

    /**
     * Keys of a session of version 14 or later.
     *
     * @param secret of this direction of this session only; callers do not change it
     */
    public static SealKeys of(final Protection protection, final byte[] secret) {
        return new SealKeys(protection, secret, false);
    }

    /** Keys of a session of version 13, whose protection is {@link Protection#PRIVACY}. */
    public static SealKeys ofVersion13(final byte[] key) {
        return new SealKeys(Protection.PRIVACY, key, true);
    }

    /** The protection of the session. */
    Protection protection() {
        return protection;
    }

    /** Returns a seal for the records of the connection. */
    public RecordSeal records() {
        return new RecordSeal(this, RecordSeal.RECORDS_OF_KEY);
    }

    /**
     * The key of records.
     *
     * @param generation 0 for the first
     * @param recordsOfKey the number of records of a key
     * @throws IllegalStateException where there is no further key
     */
    SecretKeySpec ofRecords(final long generation, final long recordsOfKey) {
        if (!hasOneKey) {
            return key(RECORDS, generation);
        }
        if (generation >= MOST_NONCES / recordsOfKey) {
            throw new IllegalStateException(
                    "records of a session of version 13="
                            + MOST_NONCES
                            + ", the most for its key: open another connection");
        }
        return new SecretKeySpec(secret, "AES");
    }

    /** The key of messages; {@code generation} is 0 for the first. */
    SecretKeySpec ofMessages(final long generation) {
        if (hasOneKey) {
            throw new IllegalStateException("a session of version 13 has no key for messages");
        }
        return key(MESSAGES, generation);
    }

    private SecretKeySpec key(final byte[] purpose, final long generation) {
        final ByteBuffer info = ByteBuffer.allocate(purpose.length + Long.BYTES);
        info.put(purpose).putLong(generation);
        return new SecretKeySpec(Hkdf.expand(secret, info.array(), LENGTH), "AES");
    }
}
