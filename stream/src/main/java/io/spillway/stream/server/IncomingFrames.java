package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameType;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.handshake.HelloFrame;
import java.nio.ByteBuffer;

/**
 * Finds the frames in what a client sends: the first one after the magic, and of its own version.
 * Used by the channel's event loop.
 */
final class IncomingFrames {
    private boolean first = true;
    private FrameHeader<FrameType> header;
    private FrameType type;
    private ByteBuffer body;

    /**
     * Looks for the next frame; takes nothing of its body until that is whole.
     *
     * @return whether {@link #type} and {@link #body} tell a frame; the body is a view of {@code
     *     in}
     */
    boolean next(final ByteBuf in) throws MalformedFrameException, RefusedException {
        if (header == null && !readHeader(in)) {
            return false;
        }
        if (in.readableBytes() < header.bodyLength()) {
            return false;
        }
        type = header.type();
        body = in.nioBuffer(in.readerIndex(), header.bodyLength());
        in.skipBytes(header.bodyLength());
        header = null;
        return true;
    }

    private boolean readHeader(final ByteBuf in) throws MalformedFrameException, RefusedException {
        final int magicLength = first ? HelloFrame.MAGIC_LENGTH : 0;
        if (in.readableBytes() < magicLength + FrameHeader.LENGTH) {
            return false;
        }
        if (first) {
            ServerHandshake.checkMagic(in.readInt());
        }
        final ByteBuffer bytes = in.nioBuffer(in.readerIndex(), FrameHeader.LENGTH);
        in.skipBytes(FrameHeader.LENGTH);
        if (first) {
            ServerHandshake.checkVersion(FrameHeader.version(bytes));
        }
        header = FrameType.header(bytes);
        first = false;
        return true;
    }

    FrameType type() {
        return type;
    }

    ByteBuffer body() {
        return body;
    }

    /** Where a connection that ends after so many more bytes has ended; empty between frames. */
    String endedWithin(final int bytes) {
        if (header != null) {
            return header.type()
                    + " frame, after "
                    + bytes
                    + " of "
                    + header.bodyLength()
                    + " bytes";
        }
        return bytes == 0 ? "" : "a header, after " + bytes + " bytes";
    }
}
