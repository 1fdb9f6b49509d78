package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameType;
import io.spillway.wire.handshake.HelloFrame;
import java.nio.ByteBuffer;
import java.util.function.Consumer;

/** Writes frames into Netty's buffers. */
public final class Frames {
    private static final int MAX_LENGTH = HelloFrame.MAGIC_LENGTH + FrameType.MAX_FRAME_LENGTH;

    private Frames() {}

    public static ByteBuf encode(
            final ByteBufAllocator allocator, final Consumer<ByteBuffer> frame) {
        return encode(allocator, MAX_LENGTH, frame);
    }

    public static ByteBuf encode(
            final ByteBufAllocator allocator,
            final int maxLength,
            final Consumer<ByteBuffer> frame) {
        final ByteBuf buffer = allocator.directBuffer(maxLength);
        boolean encoded = false;
        try {
            final ByteBuffer view = buffer.internalNioBuffer(0, maxLength);
            final int start = view.position();
            frame.accept(view);
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
    public static ByteBuf encode(final ByteBufAllocator allocator, final FrameType type) {
        return encode(allocator, FrameHeader.LENGTH, out -> FrameHeader.encode(out, type, 0));
    }
}
