// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Reads the fields of one frame's body in order, and checks each one. Used by one thread. */
public class FrameReader {
    private final Object type;
    private final ByteBuffer body;

    /**
     * Begins at the body's position.
     *
     * @param type how errors name the frame
     */
    public FrameReader(final Object type, final ByteBuffer body) {
        this.type = type;
        this.body = body;
    }

    /** A number within bounds. */
    public final int int32(final String field, final int min, final int max)
            throws MalformedFrameException {
        need(field, Integer.BYTES);
        final int value = body.getInt();
        if (value < min || value > max) {
            throw malformed(field, value, min + " to " + max);
        }
        return value;
    }

    /** A number of at least {@code min}. */
    public final long int64(final String field, final long min) throws MalformedFrameException {
        need(field, Long.BYTES);
        final long value = body.getLong();
        if (value < min) {
            throw malformed(field, value, "at least " + min);
        }
        return value;
    }

    /** As many bytes. */
    public final byte[] bytes(final String field, final int length) throws MalformedFrameException {
        need(field, length);
        final byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    /** The name of a job or of an output. */
    public final String id(final String field) throws MalformedFrameException {
        final String id = name(field, OpaqueId.MAX_LENGTH);
        if (!OpaqueId.isValid(id)) {
            throw malformed(field, id, OpaqueId.EXPECTED);
        }
        return id;
    }

    /** A name: printable ASCII without blanks, so that it is safe in a log. */
    public final String name(final String field, final int maxLength)
            throws MalformedFrameException {
        final byte[] bytes = bytes(field, textLength(field, maxLength));
        if (bytes.length == 0) {
            throw malformed(field + " length", 0, "1 to " + maxLength);
        }
        for (final byte b : bytes) {
            if (b <= ' ' || b == 0x7F) {
                throw malformed(field + " byte", Byte.toUnsignedInt(b), "printable ASCII");
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** Text for people; whatever could forge a line of a log is replaced. */
    public final String message(final String field, final int maxLength)
            throws MalformedFrameException {
        final byte[] bytes = bytes(field, textLength(field, maxLength));
        return Texts.printable(new String(bytes, StandardCharsets.UTF_8));
    }

    /** Text of UTF-8 without control characters, so that it can stand in a log line. */
    protected final String utf8(final String field, final byte[] bytes)
            throws MalformedFrameException {
        final String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (final CharacterCodingException e) {
            throw malformed(field, "bytes that are no UTF-8", "UTF-8");
        }
        if (!Texts.isPrintable(text)) {
            throw malformed(field, "text with control characters", "none");
        }
        return text;
    }

    /** Insists that nothing is left. */
    public final void end() throws MalformedFrameException {
        if (body.hasRemaining()) {
            throw malformed("bytes after the last field", body.remaining(), "0");
        }
    }

    /** What came in a field of this frame is not what was expected. */
    protected final MalformedFrameException malformed(
            final String field, final Object value, final String expected) {
        return MalformedFrameException.of(type, field, value, expected);
    }

    private int textLength(final String field, final int maxLength) throws MalformedFrameException {
        need(field + " length", Short.BYTES);
        final int length = Short.toUnsignedInt(body.getShort());
        if (length > maxLength) {
            throw malformed(field + " length", length, "0 to " + maxLength);
        }
        return length;
    }

    private void need(final String field, final int length) throws MalformedFrameException {
        if (body.remaining() < length) {
            throw malformed("bytes left for " + field, body.remaining(), "at least " + length);
        }
    }
}
