// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the fields of one frame's body in order, and checks each one. Used by one thread.
 *
 * <p>Methods throw {@link MalformedFrameException}, which names the frame, the field, its value and
 * what was expected.
 */
public final class FrameReader {
    /** Reads one entry of a list. */
    @FunctionalInterface
    public interface EntryReader<E> {
        /** The entry that comes next. */
        E read(FrameReader in) throws MalformedFrameException;
    }

    private final Object type;
    private final ByteBuffer body;
    private final boolean longTexts;

    /**
     * Begins at the body's position; texts and blocks have two bytes of length.
     *
     * @param type how errors name the frame
     */
    public FrameReader(final Object type, final ByteBuffer body) {
        this(type, body, false);
    }

    FrameReader(final Object type, final ByteBuffer body, final boolean longTexts) {
        this.type = type;
        this.body = body;
        this.longTexts = longTexts;
    }

    /** A byte that is 0 or 1. */
    public boolean flag(final String field) throws MalformedFrameException {
        need(field, 1);
        return within(field, body.get(), 0, 1) == 1;
    }

    /** A number within bounds. */
    public int int32(final String field, final int min, final int max)
            throws MalformedFrameException {
        need(field, Integer.BYTES);
        return (int) within(field, body.getInt(), min, max);
    }

    /** Four bytes of any value. */
    public int int32(final String field) throws MalformedFrameException {
        return int32(field, Integer.MIN_VALUE, Integer.MAX_VALUE);
    }

    /** A number of at least {@code min}. */
    public long int64(final String field, final long min) throws MalformedFrameException {
        return int64(field, min, Long.MAX_VALUE);
    }

    /** A number within bounds. */
    public long int64(final String field, final long min, final long max)
            throws MalformedFrameException {
        need(field, Long.BYTES);
        return within(field, body.getLong(), min, max);
    }

    private long within(final String field, final long value, final long min, final long max)
            throws MalformedFrameException {
        return MalformedFrameException.require(type, field, value, min, max);
    }

    /** As many bytes. */
    public byte[] bytes(final String field, final int length) throws MalformedFrameException {
        need(field, length);
        final byte[] bytes = new byte[length];
        body.get(bytes);
        return bytes;
    }

    /** Bytes behind their length. */
    public byte[] block(final String field, final int min, final int max)
            throws MalformedFrameException {
        final String length = field + " length";
        if (longTexts) {
            return bytes(field, int32(length, min, max));
        }
        need(length, Short.BYTES);
        return bytes(field, (int) within(length, Short.toUnsignedInt(body.getShort()), min, max));
    }

    /** The name of a job or of an output. */
    public String id(final String field) throws MalformedFrameException {
        final String id = name(field, OpaqueId.MAX_LENGTH);
        if (!OpaqueId.isValid(id)) {
            throw malformed(field, id, OpaqueId.EXPECTED);
        }
        return id;
    }

    /** A name: printable ASCII without blanks, so that it is safe in a log. */
    public String name(final String field, final int maxLength) throws MalformedFrameException {
        final byte[] bytes = block(field, 1, maxLength);
        for (final byte b : bytes) {
            if (b <= ' ' || b == 0x7F) {
                throw malformed(field + " byte", Byte.toUnsignedInt(b), "printable ASCII");
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    /** Text for people; whatever could forge a line of a log is replaced. */
    public String message(final String field, final int maxLength) throws MalformedFrameException {
        return Texts.printable(new String(block(field, 0, maxLength), StandardCharsets.UTF_8));
    }

    /** UTF-8 without control characters, so that it can stand in a log line. */
    public String text(final String field, final int min, final int max)
            throws MalformedFrameException {
        final ByteBuffer bytes = ByteBuffer.wrap(block(field, min, max));
        final String text;
        try {
            text = StandardCharsets.UTF_8.newDecoder().decode(bytes).toString();
        } catch (final CharacterCodingException e) {
            throw malformed(field, "bytes that are no UTF-8", "UTF-8");
        }
        if (!Texts.isPrintable(text)) {
            throw malformed(field, "text with control characters", "none");
        }
        return text;
    }

    /** The entries of a list. Memory is taken for those that have come, not for its size. */
    public <E> List<E> list(
            final String field, final int min, final int max, final EntryReader<E> entry)
            throws MalformedFrameException {
        final int size = int32(field, min, max);
        final List<E> entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            entries.add(entry.read(this));
        }
        return entries;
    }

    /** Insists that nothing is left. */
    public void end() throws MalformedFrameException {
        if (body.hasRemaining()) {
            throw malformed("bytes after the last field", body.remaining(), "0");
        }
    }

    /** What came in a field of this frame is not what was expected. */
    public MalformedFrameException malformed(
            final String field, final Object value, final String expected) {
        return MalformedFrameException.of(type, field, value, expected);
    }

    private void need(final String field, final int length) throws MalformedFrameException {
        if (body.remaining() < length) {
            throw malformed("bytes left for " + field, body.remaining(), "at least " + length);
        }
    }
}
