// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.nio.ByteBuffer;

/** Puts frames together from the pieces in which they arrive. Used by one thread. */
public final class FrameAssembler {
    private final ByteBuffer bytes = ByteBuffer.allocate(FrameType.MAX_FRAME_LENGTH);
    private final VersionRange accepted;
    private FrameHeader<FrameType> header;

    /**
     * Creates an assembler.
     *
     * @param accepted the versions that a frame may have
     */
    public FrameAssembler(final VersionRange accepted) {
        this.accepted = accepted;
    }

    /**
     * Takes bytes from {@code in}, up to the end of the frame.
     *
     * @return whether the frame is whole; {@link #type} and {@link #body} then tell it, until the
     *     next call
     */
    public boolean read(final ByteBuf in) throws MalformedFrameException {
        if (header != null && bytes.position() == frameLength()) {
            header = null;
            bytes.clear();
        }
        if (header == null) {
            if (!fill(in, FrameHeader.LENGTH)) {
                return false;
            }
            header = FrameType.header(bytes.duplicate().flip(), accepted);
        }
        return fill(in, frameLength());
    }

    public FrameType type() {
        return header.type();
    }

    public int version() {
        return header.version();
    }

    public ByteBuffer body() {
        return bytes.duplicate().flip().position(FrameHeader.LENGTH);
    }

    private int frameLength() {
        return FrameHeader.LENGTH + header.bodyLength();
    }

    private boolean fill(final ByteBuf in, final int target) {
        final int count = Math.min(in.readableBytes(), target - bytes.position());
        if (count > 0) {
            bytes.limit(bytes.position() + count);
            in.readBytes(bytes);
            bytes.limit(bytes.capacity());
        }
        return bytes.position() == target;
    }
}
