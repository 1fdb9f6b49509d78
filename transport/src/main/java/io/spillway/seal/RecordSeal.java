// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals, or opens, the bytes of one direction of a session, in records: a length (four bytes), then
 * as many bytes, encrypted where the session's {@link Protection} is privacy, then a tag of 16
 * bytes over both ({@link GcmSeal}). The number of a record is the nonce and is not sent: so a
 * record that is changed, left out, sent twice or sent in another place or another session does not
 * open. Used by one thread.
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

    /** Offset of the bytes; the tag follows them. */
    public static final int BYTES_OFFSET = LENGTH_OFFSET + Integer.BYTES;

    /** The bytes of a tag. */
    public static final int TAG_LENGTH = GcmSeal.TAG_LENGTH;

    /** What a record adds to what it holds. */
    public static final int OVERHEAD = BYTES_OFFSET + TAG_LENGTH;

    /**
     * The records of a key: 256 GiB of the longest ones. TLS 1.3 changes keys of AES-GCM after
     * 2^24.5 records (RFC 8446, 5.5).
     */
    static final long RECORDS_OF_KEY = 1L << 24;

    private final SealKeys keys;
    private final long recordsOfKey;
    private final GcmSeal gcm;
    private final byte[] nonce = new byte[GcmSeal.NONCE_LENGTH];
    private final byte[] header = new byte[Integer.BYTES];
    private SecretKeySpec key;
    private long generation = -1;

    /** The array in which a record is sealed; null before the first one. */
    private byte[] record;

    private long next;

    /**
     * Begins with record 0.
     *
     * @param recordsOfKey the number of records of a key
     */
    RecordSeal(final SealKeys keys, final long recordsOfKey) {
        this.keys = keys;
        this.recordsOfKey = recordsOfKey;
        this.gcm = new GcmSeal(keys.protection());
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
     * @throws IllegalStateException where the session has no further key and has to end
     */
    public void seal(final long first, final ByteBuffer bytes, final ByteBuffer out) {
        for (long number = first; bytes.hasRemaining(); number++) {
            sealOne(number, bytes, Math.min(MAX_LENGTH, bytes.remaining()), out);
        }
    }

    private void sealOne(
            final long number, final ByteBuffer bytes, final int length, final ByteBuffer out) {
        bytes.get(array(), 0, length);
        seal(number, length);
        out.putInt(length).put(record, 0, length + TAG_LENGTH);
    }

    private byte[] array() {
        if (record == null) {
            record = new byte[MAX_LENGTH + TAG_LENGTH];
        }
        return record;
    }

    private void seal(final long number, final int length) {
        begin(number, length);
        gcm.seal(key, nonce, header, record, 0, length);
    }

    /**
     * Seals one record in place.
     *
     * @param number {@linkplain #reserve reserved}
     * @param out from offset 0 to its capacity a record, whose bytes stand at {@link #BYTES_OFFSET}
     */
    public void sealInPlace(final long number, final ByteBuffer out) {
        final int length = out.capacity() - OVERHEAD;
        out.get(BYTES_OFFSET, array(), 0, length);
        seal(number, length);
        out.putInt(LENGTH_OFFSET, length);
        final int unchanged = gcm.encrypts() ? 0 : length;
        out.put(BYTES_OFFSET + unchanged, record, unchanged, length + TAG_LENGTH - unchanged);
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
     * @param sealed has the bytes and the tag; afterwards the plain bytes. Callers drop them where
     *     this throws
     * @param offset where they begin
     * @param length that the record begins with
     * @throws MalformedFrameException where this is not what the other side has sent next
     */
    public void open(final byte[] sealed, final int offset, final int length)
            throws MalformedFrameException {
        final long number = next++;
        begin(number, length);
        if (!gcm.open(key, nonce, header, sealed, offset, length)) {
            throw new MalformedFrameException(
                    "sealed record "
                            + number
                            + " of "
                            + length
                            + " bytes: its tag is wrong, expected what the other side has sent"
                            + " next; something in between has changed it");
        }
    }

    private void begin(final long number, final int length) {
        if (number / recordsOfKey != generation) {
            generation = number / recordsOfKey;
            key = keys.ofRecords(generation, recordsOfKey);
        }
        ByteBuffer.wrap(nonce).putLong(GcmSeal.NONCE_LENGTH - Long.BYTES, number);
        ByteBuffer.wrap(header).putInt(length);
    }
}
