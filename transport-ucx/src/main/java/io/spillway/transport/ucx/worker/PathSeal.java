// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.frame.MalformedFrameException;
import io.spillway.seal.MessageOpener;
import io.spillway.seal.MessageOpener.Opened;
import io.spillway.seal.MessageSeal;
import io.spillway.seal.SealKeys;
import io.spillway.seal.SessionKeys;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Seals the messages of one end of a path, and opens those of the other end. It changes no message
 * in a session whose protection is authentication. Used by the thread of UCX, except where noted.
 */
public final class PathSeal {
    /** The seal of an unprotected path. */
    public static final PathSeal NONE = new PathSeal();

    private static final byte[] NO_TAGS = {};

    private final MessageSeal sealing;
    private final MessageOpener opening;

    private PathSeal() {
        this.sealing = null;
        this.opening = null;
    }

    /** Creates the seal of a client's end; {@code keys} are those of the session. */
    public static PathSeal ofClient(final Optional<SessionKeys> keys) {
        return keys.map(all -> new PathSeal(all.ofClient(), all.ofNode())).orElse(NONE);
    }

    /** Creates the seal of a node's end; {@code keys} are those of the session. */
    public static PathSeal ofNode(final Optional<SessionKeys> keys) {
        return keys.map(all -> new PathSeal(all.ofNode(), all.ofClient())).orElse(NONE);
    }

    private PathSeal(final SealKeys own, final SealKeys others) {
        this.sealing = new MessageSeal(own, Envelope.MAX_SEALED);
        this.opening = new MessageOpener(others, Envelope.MAX_SEALED);
    }

    /** Reserves a number for a message that is sealed at once, or never. Any thread. */
    public long reserve() {
        return sealing == null ? 0 : sealing.reserve();
    }

    /** Writes the bytes before the frame. */
    void begin(final long number, final ByteBuffer header) {
        if (sealing != null) {
            header.putLong(number);
        }
    }

    /** Seals a complete header. */
    void end(final long number, final ByteBuffer header) {
        if (sealing != null) {
            sealing.sealHeader(number, header, Envelope.LENGTH + MessageSeal.NUMBER_LENGTH);
        }
    }

    /**
     * Seals the bytes of a message in place. Any thread.
     *
     * @param number reserved for the message
     * @return the tags for the end of its header
     */
    public byte[] sealBody(final long number, final ByteBuffer body) {
        return sealing == null ? NO_TAGS : sealing.sealBody(number, body);
    }

    /**
     * Opens the header of a message.
     *
     * @param in behind the envelope
     * @param bodyLength the number of bytes of the message
     */
    public Opened open(final ByteBuffer in, final long bodyLength) throws MalformedFrameException {
        return opening == null
                ? new Opened(0, in, ByteBuffer.wrap(NO_TAGS))
                : opening.open(in, bodyLength);
    }

    /** Opens the bytes of a message in place. */
    public void openBody(final Opened message, final ByteBuffer body)
            throws MalformedFrameException {
        if (opening != null) {
            opening.openBody(message, body);
        }
    }
}
