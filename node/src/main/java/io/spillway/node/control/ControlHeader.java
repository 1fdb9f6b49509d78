package io.spillway.node.control;

import io.spillway.wire.MalformedFrameException;
import java.nio.ByteBuffer;

/**
 * What every frame of the control protocol starts with.
 *
 * @param type the frame
 * @param bodyLength the bytes of the body that follows, within the type's bounds
 */
public record ControlHeader(ControlFrameType type, int bodyLength) {
    /** {@code SN}. */
    public static final short MAGIC = 0x534E;

    /** The protocol's version; another one is not understood. */
    public static final byte VERSION = 1;

    /** Offset of the magic, two bytes. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the version, one byte. */
    public static final int VERSION_OFFSET = MAGIC_OFFSET + Short.BYTES;

    /** Offset of the type, one byte. */
    public static final int TYPE_OFFSET = VERSION_OFFSET + 1;

    /** Offset of the body's length, four bytes. */
    public static final int BODY_LENGTH_OFFSET = TYPE_OFFSET + 1;

    /** The bytes of a header. */
    public static final int LENGTH = BODY_LENGTH_OFFSET + Integer.BYTES;

    /**
     * Reads a header at the position of {@code in}, and moves it behind.
     *
     * @param in holds at least {@link #LENGTH} bytes
     * @throws MalformedFrameException for a wrong magic, another version, an unknown type or a
     *     length out of bounds
     */
    static ControlHeader decode(final ByteBuffer in) throws MalformedFrameException {
        final int start = in.position();
        final short magic = in.getShort(start + MAGIC_OFFSET);
        if (magic != MAGIC) {
            throw new MalformedFrameException(
                    String.format("control frame: magic=0x%04x, expected 0x%04x", magic, MAGIC));
        }
        final byte version = in.get(start + VERSION_OFFSET);
        if (version != VERSION) {
            throw MalformedFrameException.of("control", "version", version, "" + VERSION);
        }
        final ControlFrameType type = typeOf(in.get(start + TYPE_OFFSET));
        final int bodyLength = in.getInt(start + BODY_LENGTH_OFFSET);
        if (bodyLength < type.minBodyLength() || bodyLength > type.maxBodyLength()) {
            throw MalformedFrameException.of(
                    type,
                    "body length",
                    bodyLength,
                    type.minBodyLength() + " to " + type.maxBodyLength());
        }
        in.position(start + LENGTH);
        return new ControlHeader(type, bodyLength);
    }

    private static ControlFrameType typeOf(final byte code) throws MalformedFrameException {
        final ControlFrameType type = ControlFrameType.ofCode(code);
        if (type == null) {
            throw MalformedFrameException.of(
                    "control",
                    "type",
                    Byte.toUnsignedInt(code),
                    "1 to " + ControlFrameType.values().length);
        }
        return type;
    }

    /** A buffer for a whole frame, with its header written. */
    static ByteBuffer allocate(final ControlFrameType type, final int bodyLength) {
        if (bodyLength < type.minBodyLength() || bodyLength > type.maxBodyLength()) {
            throw new IllegalArgumentException(
                    type
                            + " frame: body length="
                            + bodyLength
                            + ", expected "
                            + type.minBodyLength()
                            + " to "
                            + type.maxBodyLength());
        }
        return ByteBuffer.allocate(LENGTH + bodyLength)
                .putShort(MAGIC)
                .put(VERSION)
                .put(type.code())
                .putInt(bodyLength);
    }

    /** A frame without a body. */
    public static ByteBuffer encodeEmpty(final ControlFrameType type) {
        return allocate(type, 0).flip();
    }
}
