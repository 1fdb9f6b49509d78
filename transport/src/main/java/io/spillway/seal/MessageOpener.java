// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.BitSet;

/**
 * Opens the messages of a {@link MessageSeal}. Messages may overtake each other. It accepts each
 * once. Used by one thread.
 */
public final class MessageOpener {
    /** The largest distance of a message behind the newest one. */
    private static final int WINDOW = 1 << 14;

    /**
     * A message with a verified header.
     *
     * @param number of the message
     * @param header its content
     * @param tags of the body, from offset 0
     */
    public record Opened(long number, ByteBuffer header, ByteBuffer tags) {}

    private final MessageKeys keys;
    private final GcmSeal gcm;
    private final int maxHeader;
    private final BitSet seen = new BitSet(WINDOW);
    private long newest = -1;

    /**
     * Begins before any message.
     *
     * @param maxHeader the longest header in bytes, with tags of a body, without {@link
     *     MessageSeal#OVERHEAD}
     */
    public MessageOpener(final SealKeys keys, final int maxHeader) {
        this.keys = new MessageKeys(keys, MessageKeys.MESSAGES_OF_KEY);
        this.gcm = new GcmSeal(keys.protection());
        this.maxHeader = maxHeader;
    }

    /**
     * Opens a header.
     *
     * @param in what has come, from the number on
     * @param bodyLength of the body that has come with it
     * @throws MalformedFrameException where it was changed on the way, or has come before
     */
    public Opened open(final ByteBuffer in, final long bodyLength) throws MalformedFrameException {
        MalformedFrameException.require(
                "sealed message", "body length", bodyLength, 0, MessageKeys.MAX_BODY);
        final int length = in.remaining() - MessageSeal.OVERHEAD;
        final int tagsLength = MessageKeys.tagsLength((int) bodyLength);
        MalformedFrameException.require(
                "sealed message", "header length", length, tagsLength, maxHeader);
        final long number = in.getLong();
        final byte[] bytes = new byte[length + GcmSeal.TAG_LENGTH];
        in.get(bytes);
        if (number < 0 || !opens(number, MessageKeys.HEADER, bytes, length)) {
            throw changed(number, "its tag");
        }
        requireNew(number);
        final int end = length - tagsLength;
        return new Opened(
                number,
                ByteBuffer.wrap(bytes, 0, end),
                ByteBuffer.wrap(bytes, end, tagsLength).slice());
    }

    private boolean opens(
            final long number, final int piece, final byte[] bytes, final int length) {
        return gcm.open(
                keys.of(number),
                MessageKeys.nonce(number, piece),
                MessageKeys.lengthOf(length),
                bytes,
                0,
                length);
    }

    private static MalformedFrameException changed(final long number, final String what) {
        return new MalformedFrameException(
                "sealed message "
                        + number
                        + ": "
                        + what
                        + " is wrong, expected that of the sender: it was changed"
                        + " on the way");
    }

    /** Refuses a repeated or late number. Each number of the window has a bit. */
    private void requireNew(final long number) throws MalformedFrameException {
        final int bit = (int) (number % WINDOW);
        if (number > newest) {
            forget(newest + 1, number);
            newest = number;
        } else if (number <= newest - WINDOW || seen.get(bit)) {
            throw new MalformedFrameException(
                    "sealed message "
                            + number
                            + ": it has come before, or long after "
                            + newest
                            + "; expected each once: it was repeated or held back on the way");
        }
        seen.set(bit);
    }

    private void forget(final long from, final long to) {
        if (to - from >= WINDOW) {
            seen.clear();
            return;
        }
        for (long number = from; number <= to; number++) {
            seen.clear((int) (number % WINDOW));
        }
    }

    /**
     * Opens a body in place.
     *
     * @param message of the body
     * @param body the remaining bytes; its position stays. Callers drop it where this throws
     */
    public void openBody(final Opened message, final ByteBuffer body)
            throws MalformedFrameException {
        final int pieceLength = MessageKeys.pieceLength(body.remaining());
        final byte[] piece = new byte[Math.min(pieceLength, body.remaining()) + GcmSeal.TAG_LENGTH];
        int index = MessageKeys.HEADER + 1;
        for (int from = body.position(); from < body.limit(); from += pieceLength) {
            final int length = Math.min(pieceLength, body.limit() - from);
            body.get(from, piece, 0, length);
            message.tags().get((index - 1) * GcmSeal.TAG_LENGTH, piece, length, GcmSeal.TAG_LENGTH);
            if (!opens(message.number(), index, piece, length)) {
                throw changed(message.number(), "the tag of piece " + index + " of its body");
            }
            if (gcm.encrypts()) {
                body.put(from, piece, 0, length);
            }
            index++;
        }
    }
}
