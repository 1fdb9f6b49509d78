// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the fields of a message in order, and checks each one. Used by one thread.
 *
 * <p>Methods throw {@link MalformedFrameException}, which names the field, its value and what was
 * expected.
 */
public final class MessageReader extends FrameReader {
    /** Reads one entry of a list. */
    @FunctionalInterface
    public interface EntryReader<T> {
        /** The entry that comes next. */
        T read(MessageReader in) throws MalformedFrameException;
    }

    private static final int MAX_PORT = 65_535;

    MessageReader(final MessageKind kind, final ByteBuffer fields) {
        super(kind, fields);
    }

    /** A byte that is 0 or 1. */
    public boolean flag(final String field) throws MalformedFrameException {
        final byte value = bytes(field, 1)[0];
        if (value != 0 && value != 1) {
            throw malformed(field, value, "0 or 1");
        }
        return value == 1;
    }

    byte[] block(final String field, final int min, final int max) throws MalformedFrameException {
        final byte[] prefix = bytes(field + " length", Short.BYTES);
        final int length = Short.toUnsignedInt(ByteBuffer.wrap(prefix).getShort());
        if (length < min || length > max) {
            throw malformed(field + " length", length, min + " to " + max);
        }
        return bytes(field, length);
    }

    /** Text of UTF-8 of {@code maxLength} bytes at most, which may be empty. */
    public String textOrEmpty(final String field, final int maxLength)
            throws MalformedFrameException {
        return utf8(field, block(field, 0, maxLength));
    }

    String text(final String field, final int maxLength) throws MalformedFrameException {
        return utf8(field, block(field, 1, maxLength));
    }

    /** A number of bytes. */
    public long size(final String field) throws MalformedFrameException {
        final long size = int64(field, 0);
        if (size > NodeSpace.MAX_BYTES) {
            throw malformed(field, size, "0 to " + NodeSpace.MAX_BYTES);
        }
        return size;
    }

    /** A field whose constructor takes no other. */
    MalformedFrameException wrong(final String field, final Object value, final String expected) {
        return malformed(field, value, expected);
    }

    NodeAddress address() throws MalformedFrameException {
        final String host = name("host", SegmentPlace.MAX_HOST_LENGTH);
        return new NodeAddress(host, int32("port", 1, MAX_PORT));
    }

    SegmentPlace place() throws MalformedFrameException {
        final NodeAddress address = address();
        return new SegmentPlace(address, int64("epoch", Long.MIN_VALUE));
    }

    /** The entries of a list. Memory is taken for those that have come, not for its size. */
    public <T> List<T> list(final String field, final int max, final EntryReader<T> entry)
            throws MalformedFrameException {
        final int size = int32(field, 0, max);
        final List<T> entries = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            entries.add(entry.read(this));
        }
        return entries;
    }
}
