// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.spec.SecretKeySpec;

/**
 * Seals the messages of one direction beside the connection of a session. Messages may overtake
 * each other. A message is a header, and a body or none. Its number is sent in eight bytes before
 * the sealed part of the header; the header's tag follows that part. Pieces of the body have tags
 * of their own, which the sender puts at the end of the header. The nonce is the number of the
 * message and the number of the piece: 0 for the header, 1 and more for pieces of the body. So no
 * two nonces are the same. Used by one thread, except where noted.
 */
public final class MessageSeal {
    /** The bytes of a number. */
    public static final int NUMBER_LENGTH = Long.BYTES;

    /** The bytes of a header beside its content. */
    public static final int OVERHEAD = NUMBER_LENGTH + GcmSeal.TAG_LENGTH;

    /** The most bytes of the tags of a body. */
    public static final int MAX_TAGS = MessageKeys.MAX_PIECES * GcmSeal.TAG_LENGTH;

    private final MessageKeys keys;
    private final GcmSeal gcm;
    private final byte[] bytes;
    private final AtomicLong next = new AtomicLong();

    /**
     * Begins with message 0.
     *
     * @param maxHeader the longest header in bytes, with tags of a body, without {@link #OVERHEAD}
     */
    public MessageSeal(final SealKeys keys, final int maxHeader) {
        this.keys = new MessageKeys(keys, MessageKeys.MESSAGES_OF_KEY);
        this.gcm = new GcmSeal(keys.protection());
        this.bytes = new byte[maxHeader + GcmSeal.TAG_LENGTH];
    }

    /** Reserves the number of a message that is sealed at once, or never. Any thread. */
    public long reserve() {
        return next.getAndIncrement();
    }

    /**
     * Seals a header in place; its tag follows it.
     *
     * @param number reserved for this message
     * @param header ends at its position
     * @param start of the sealed part, behind the number
     */
    public void sealHeader(final long number, final ByteBuffer header, final int start) {
        final int length = header.position() - start;
        header.get(start, bytes, 0, length);
        gcm.seal(
                keys.of(number),
                MessageKeys.nonce(number, MessageKeys.HEADER),
                MessageKeys.lengthOf(length),
                bytes,
                0,
                length);
        header.put(start, bytes, 0, length);
        header.put(bytes, length, GcmSeal.TAG_LENGTH);
    }

    /**
     * Seals a body in place. Any thread.
     *
     * @param number reserved for this message
     * @param body the remaining bytes; its position stays
     * @return the tags of its pieces, for the end of the header
     */
    public byte[] sealBody(final long number, final ByteBuffer body) {
        final SecretKeySpec key = keys.newKey(number);
        final GcmSeal sealing = new GcmSeal(keys.protection());
        final int pieceLength = MessageKeys.pieceLength(body.remaining());
        final byte[] piece = new byte[Math.min(pieceLength, body.remaining()) + GcmSeal.TAG_LENGTH];
        final ByteBuffer tags = ByteBuffer.allocate(MessageKeys.tagsLength(body.remaining()));
        int index = MessageKeys.HEADER + 1;
        for (int from = body.position(); from < body.limit(); from += pieceLength) {
            final int length = Math.min(pieceLength, body.limit() - from);
            body.get(from, piece, 0, length);
            sealing.seal(
                    key,
                    MessageKeys.nonce(number, index++),
                    MessageKeys.lengthOf(length),
                    piece,
                    0,
                    length);
            if (sealing.encrypts()) {
                body.put(from, piece, 0, length);
            }
            tags.put(piece, length, GcmSeal.TAG_LENGTH);
        }
        return tags.array();
    }
}
