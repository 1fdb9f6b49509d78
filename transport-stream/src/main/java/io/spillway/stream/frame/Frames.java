// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import java.nio.ByteBuffer;

/** Writes frames into Netty's buffers. */
public final class Frames {
    private static final int MAX_LENGTH = HelloFrame.MAGIC_LENGTH + FrameType.MAX_FRAME_LENGTH;

    private Frames() {}

    /** Writes a frame of any length, as a version lays it out. */
    public static ByteBuf encode(
            final ByteBufAllocator allocator, final int version, final FrameLayout frame) {
        return encode(allocator, MAX_LENGTH, version, frame);
    }

    /** Writes a frame of at most {@code maxLength} bytes, as a version lays it out. */
    public static ByteBuf encode(
            final ByteBufAllocator allocator,
            final int maxLength,
            final int version,
            final FrameLayout frame) {
        final ByteBuf buffer = allocator.directBuffer(maxLength);
        boolean encoded = false;
        try {
            final ByteBuffer view = buffer.internalNioBuffer(0, maxLength);
            final int start = view.position();
            frame.encode(view, version);
            buffer.writerIndex(view.position() - start);
            encoded = true;
            return buffer;
        } finally {
            if (!encoded) {
                buffer.release();
            }
        }
    }

    /** A frame without a body. */
    public static ByteBuf encode(
            final ByteBufAllocator allocator, final int version, final FrameType type) {
        return encode(
                allocator,
                FrameHeader.LENGTH,
                version,
                (out, layout) -> FrameHeader.encode(out, type, layout, 0));
    }
}
