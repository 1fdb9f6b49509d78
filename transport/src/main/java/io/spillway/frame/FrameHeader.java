// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import java.nio.ByteBuffer;

/**
 * What every frame starts with, between reducers and nodes as well as between a NodeManager and its
 * node process: its type, its protocol's version and the length of its body. {@link FrameSet} reads
 * it.
 *
 * @param <T> the protocol's frames
 * @param type the frame
 * @param version of the protocol, in which the body is laid out
 * @param bodyLength the bytes of the body that follows, within the type's bounds
 */
public record FrameHeader<T extends FrameKind>(T type, int version, int bodyLength) {
    /** Offset of the type, one byte. */
    public static final int TYPE_OFFSET = 0;

    /** Offset of the version, one byte. */
    public static final int VERSION_OFFSET = TYPE_OFFSET + 1;

    /** Offset of the body's length, four bytes. */
    public static final int BODY_LENGTH_OFFSET = VERSION_OFFSET + 1;

    /** The bytes of a header. */
    public static final int LENGTH = BODY_LENGTH_OFFSET + Integer.BYTES;

    /** The version that the header at the position of {@code in} states; it is not moved. */
    public static int version(final ByteBuffer in) {
        return Byte.toUnsignedInt(in.get(in.position() + VERSION_OFFSET));
    }

    /** Writes the header of a frame. */
    public static void encode(
            final ByteBuffer out, final FrameKind type, final int version, final int bodyLength) {
        out.put(type.code()).put((byte) version).putInt(bodyLength);
    }

    /**
     * Writes a header whose body's length is not known yet; {@link #end} follows the body.
     *
     * @return where the body begins
     */
    public static int begin(final ByteBuffer out, final FrameKind type, final int version) {
        encode(out, type, version, 0);
        return out.position();
    }

    /** Says in the header how long the body is, which ends at the position of {@code out}. */
    public static void end(final ByteBuffer out, final int bodyStart) {
        out.putInt(bodyStart - Integer.BYTES, out.position() - bodyStart);
    }
}
