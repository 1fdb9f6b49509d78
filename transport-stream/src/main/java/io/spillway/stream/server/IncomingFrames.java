// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.OtherVersionException;
import io.spillway.transport.serve.ServerStats.Refusal;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.RefusedFrame;
import java.nio.ByteBuffer;

/**
 * Finds the frames in what a client sends: the first one after the magic, and of a version that the
 * node speaks. Used by the channel's event loop.
 */
final class IncomingFrames {
    private VersionRange accepted;

    /** Of what is sent to the client: the session's, or until then the nearest to its HELLO's. */
    private int version = FrameType.VERSIONS.newest();

    private boolean first = true;
    private FrameHeader<FrameType> header;
    private FrameType type;
    private ByteBuffer body;

    /**
     * Creates the reader of one connection.
     *
     * @param spoken the versions that this node speaks
     */
    IncomingFrames(final VersionRange spoken) {
        this.accepted = spoken;
    }

    /** From here on a frame has to have the version of the session. */
    void agreeOn(final int session) {
        version = session;
        accepted = VersionRange.only(session);
    }

    /** The version in which the client is to be answered. */
    int version() {
        return version;
    }

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
        body = in.nioBuffer(in.readerIndex(), header.bodyLength());
        in.skipBytes(header.bodyLength());
        type = header.type();
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
        header = first ? firstHeader(bytes) : FrameType.header(bytes, accepted);
        first = false;
        return true;
    }

    private FrameHeader<FrameType> firstHeader(final ByteBuffer bytes)
            throws MalformedFrameException, RefusedException {
        version = FrameType.VERSIONS.nearest(FrameHeader.version(bytes));
        try {
            return FrameType.header(bytes, accepted);
        } catch (final OtherVersionException e) {
            throw new RefusedException(Refusal.VERSION, RefusedFrame.Code.VERSION, e.getMessage());
        }
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
