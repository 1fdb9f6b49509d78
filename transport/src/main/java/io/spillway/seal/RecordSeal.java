// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.AEADBadTagException;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals, or opens, what goes one way in a session, in records: a length (four bytes), then as many
 * bytes encrypted by AES-128 in Galois/Counter Mode, then a tag of 16 bytes over both. The number
 * of a record is the nonce and is not sent: so a record that is changed, left out, sent twice or
 * sent in another place or another session does not open. Used by one thread.
 */
public final class RecordSeal {
    /**
     * The most bytes that a record holds. HotSpot uses the processor's instructions for AES once it
     * has compiled what calls them, after so many records: shorter ones come to that with fewer
     * bytes.
     */
    public static final int MAX_LENGTH = 16 << 10;

    /** Offset of the length: of what the record holds, without its tag. */
    public static final int LENGTH_OFFSET = 0;

    /** Offset of the encrypted bytes; the tag follows them. */
    public static final int BYTES_OFFSET = LENGTH_OFFSET + Integer.BYTES;

    /** The bytes of a tag. */
    public static final int TAG_LENGTH = 16;

    /** What a record adds to what it holds. */
    public static final int OVERHEAD = BYTES_OFFSET + TAG_LENGTH;

    static final String CIPHER = "AES/GCM/NoPadding";

    private static final int NONCE_LENGTH = 12;

    private final Cipher cipher;
    private final SecretKeySpec key;
    private final byte[] nonce = new byte[NONCE_LENGTH];
    private final byte[] header = new byte[Integer.BYTES];

    /**
     * Where a record is sealed; null until one is. The cipher works on arrays: buffers outside the
     * heap it would copy by the KiB.
     */
    private byte[] record;

    private long next;

    /**
     * Begins with record 0.
     *
     * @param key of this direction of this session, and of nothing else
     */
    public RecordSeal(final byte[] key) {
        this.key = new SecretKeySpec(key, "AES");
        try {
            this.cipher = Cipher.getInstance(CIPHER);
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("AES/GCM is missing; every Java has it", e);
        }
    }

    /** The bytes of the records that hold {@code length} bytes. */
    public static long sealedLength(final long length) {
        return length + recordsOf(length) * OVERHEAD;
    }

    private static long recordsOf(final long length) {
        return (length + MAX_LENGTH - 1) / MAX_LENGTH;
    }

    /**
     * Takes the numbers of the records that will hold {@code length} bytes, in their order on the
     * way; they may be sealed later.
     *
     * @return the first of them
     */
    public long reserve(final long length) {
        final long first = next;
        next += recordsOf(length);
        return first;
    }

    /**
     * Seals bytes as records of {@link #MAX_LENGTH}, and a last one of the rest.
     *
     * @param first number of the first record; all were {@linkplain #reserve reserved}, each once
     * @param bytes all that remains, at least 1
     * @param out takes {@link #sealedLength}
     */
    public void seal(final long first, final ByteBuffer bytes, final ByteBuffer out) {
        for (long number = first; bytes.hasRemaining(); number++) {
            sealOne(number, bytes, Math.min(MAX_LENGTH, bytes.remaining()), out);
        }
    }

    private void sealOne(
            final long number, final ByteBuffer bytes, final int length, final ByteBuffer out) {
        out.putInt(length);
        try {
            begin(Cipher.ENCRYPT_MODE, number, length);
            if (record == null) {
                record = new byte[MAX_LENGTH + TAG_LENGTH];
            }
            bytes.get(record, 0, length);
            out.put(record, 0, cipher.doFinal(record, 0, length, record, 0));
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("record " + number + " of " + length + " bytes", e);
        }
    }

    /** Checks the length that a record begins with. */
    public static void checkLength(final int length) throws MalformedFrameException {
        if (length < 1 || length > MAX_LENGTH) {
            throw MalformedFrameException.of("sealed", "length", length, "1 to " + MAX_LENGTH);
        }
    }

    /**
     * Opens the next record, where it lies.
     *
     * @param sealed has the encrypted bytes and the tag; then what the record holds, which is of no
     *     use where this throws
     * @param offset where they begin
     * @param length that the record begins with
     * @throws MalformedFrameException where this is not what the other side has sent next
     */
    public void open(final byte[] sealed, final int offset, final int length)
            throws MalformedFrameException {
        final long number = next++;
        try {
            begin(Cipher.DECRYPT_MODE, number, length);
            cipher.doFinal(sealed, offset, length + TAG_LENGTH, sealed, offset);
        } catch (final AEADBadTagException e) {
            throw new MalformedFrameException(
                    "sealed record "
                            + number
                            + " of "
                            + length
                            + " bytes: its tag is wrong, expected what the other side has sent"
                            + " next; something in between has changed it");
        } catch (final GeneralSecurityException e) {
            throw new IllegalStateException("record " + number + " of " + length + " bytes", e);
        }
    }

    private void begin(final int mode, final long number, final int length)
            throws GeneralSecurityException {
        CipherWarmUp.count();
        ByteBuffer.wrap(nonce).putLong(NONCE_LENGTH - Long.BYTES, number);
        ByteBuffer.wrap(header).putInt(length);
        cipher.init(mode, key, new GCMParameterSpec(TAG_LENGTH * Byte.SIZE, nonce));
        cipher.updateAAD(header);
    }
}
