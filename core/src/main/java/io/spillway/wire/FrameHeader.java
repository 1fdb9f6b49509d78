package io.spillway.wire;

import java.nio.ByteBuffer;

/**
 * What every frame starts with: its type, the protocol's version and the length of its body.
 *
 * @param type the frame
 * @param bodyLength the bytes of the body that follows, within the type's bounds
 */
public record FrameHeader(FrameType type, int bodyLength) {
    /** The protocol's version; another one is not understood. */
    public static final byte PROTOCOL_VERSION = 9;

    /** Offset of the type, one byte. */
    public static final int TYPE_OFFSET = 0;

    /** Offset of the version, one byte. */
    public static final int VERSION_OFFSET = 1;

    /** Offset of the body's length, two bytes, unsigned. */
    public static final int BODY_LENGTH_OFFSET = 2;

    /** The bytes of a header. */
    public static final int LENGTH = 4;

    /** The longest frame, header included, magic and the bytes after a frame not. */
    public static final int MAX_FRAME_LENGTH = LENGTH + FrameType.MAX_BODY_LENGTH;

    /**
     * Reads a header at the position of {@code in}, and moves it behind.
     *
     * @param in holds at least {@link #LENGTH} bytes
     * @throws MalformedFrameException for an unknown type, another version or a length out of
     *     bounds
     */
    public static FrameHeader decode(final ByteBuffer in) throws MalformedFrameException {
        if (in.remaining() < LENGTH) {
            throw MalformedFrameException.of(
                    "unknown", "header length", in.remaining(), "at least " + LENGTH);
        }
        final int start = in.position();
        final FrameType type = typeOf(in.get(start + TYPE_OFFSET));
        final byte version = in.get(start + VERSION_OFFSET);
        if (version != PROTOCOL_VERSION) {
            throw MalformedFrameException.of(type, "version", version, "" + PROTOCOL_VERSION);
        }
        final int bodyLength = Short.toUnsignedInt(in.getShort(start + BODY_LENGTH_OFFSET));
        if (bodyLength < type.minBodyLength() || bodyLength > type.maxBodyLength()) {
            throw MalformedFrameException.of(
                    type,
                    "body length",
                    bodyLength,
                    type.minBodyLength() + " to " + type.maxBodyLength());
        }
        in.position(start + LENGTH);
        return new FrameHeader(type, bodyLength);
    }

    private static FrameType typeOf(final byte code) throws MalformedFrameException {
        final FrameType type = FrameType.ofCode(code);
        if (type == null) {
            throw MalformedFrameException.of(
                    "unknown",
                    "type",
                    Byte.toUnsignedInt(code),
                    "1 to " + FrameType.values().length);
        }
        return type;
    }

    /** The version that the header at the position of {@code in} states; it is not moved. */
    public static byte version(final ByteBuffer in) {
        return in.get(in.position() + VERSION_OFFSET);
    }

    /** Writes the header of a frame. */
    public static void encode(final ByteBuffer out, final FrameType type, final int bodyLength) {
        out.put(type.code()).put(PROTOCOL_VERSION).putShort((short) bodyLength);
    }
}
