// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import java.nio.ByteBuffer;
import javax.crypto.spec.SecretKeySpec;

/** Keys and nonces of messages, and the pieces of their bodies. Used by one thread. */
final class MessageKeys {
    /** The number of the header among the pieces of a message. */
    static final int HEADER = 0;

    /** The most pieces of a body: their tags have to fit into the header. */
    static final int MAX_PIECES = 64;

    /** A key is used for fewer than 2^32 nonces, with those of the pieces. */
    static final long MESSAGES_OF_KEY = 1L << 24;

    /** The longest body: the longest fetch. */
    static final int MAX_BODY = 16 << 20;

    private static final int LEAST_PIECE = 64 << 10;

    private final SealKeys keys;
    private final long messagesOfKey;
    private SecretKeySpec key;
    private long generation = -1;

    MessageKeys(final SealKeys keys, final long messagesOfKey) {
        this.keys = keys;
        this.messagesOfKey = messagesOfKey;
    }

    Protection protection() {
        return keys.protection();
    }

    /** The key of a message, kept for the next one. */
    SecretKeySpec of(final long number) {
        if (number / messagesOfKey != generation) {
            generation = number / messagesOfKey;
            key = newKey(number);
        }
        return key;
    }

    /** The key of a message. Any thread. */
    SecretKeySpec newKey(final long number) {
        return keys.ofMessages(number / messagesOfKey);
    }

    static byte[] nonce(final long number, final int piece) {
        return ByteBuffer.allocate(GcmSeal.NONCE_LENGTH).putLong(number).putInt(piece).array();
    }

    /** The associated data of a piece: its length. */
    static byte[] lengthOf(final int length) {
        return ByteBuffer.allocate(Integer.BYTES).putInt(length).array();
    }

    /** The bytes of each piece of a body but the last, which may be shorter. */
    static int pieceLength(final int bodyLength) {
        return Math.max(LEAST_PIECE, (bodyLength + MAX_PIECES - 1) / MAX_PIECES);
    }

    /** The bytes of the tags of a body. */
    static int tagsLength(final int bodyLength) {
        final int pieceLength = pieceLength(bodyLength);
        return (bodyLength + pieceLength - 1) / pieceLength * GcmSeal.TAG_LENGTH;
    }
}
