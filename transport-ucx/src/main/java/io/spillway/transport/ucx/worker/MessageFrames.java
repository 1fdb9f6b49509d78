// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.frame.FrameHeader;
import io.spillway.frame.MalformedFrameException;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.nio.ByteBuffer;

/** Reads the frame of a message. */
public final class MessageFrames {
    private MessageFrames() {}

    /**
     * Reads the header at the position of {@code in}; the body is then what remains.
     *
     * @param version of the session
     */
    public static FrameType typeOf(final ByteBuffer in, final int version)
            throws MalformedFrameException {
        final FrameHeader<FrameType> header = FrameType.header(in, VersionRange.only(version));
        if (header.bodyLength() != in.remaining()) {
            throw MalformedFrameException.of(
                    header.type(), "body length", header.bodyLength(), in.remaining() + " as came");
        }
        return header.type();
    }
}
