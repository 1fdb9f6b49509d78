// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * All frames of one protocol. Immutable.
 *
 * @param <T> the frames
 */
public final class FrameSet<T extends FrameKind> {
    private final String protocol;
    private final T[] byCode;

    /**
     * Creates a set.
     *
     * @param protocol how errors name a frame of which no more is known
     * @param frames in the order of their codes, which begin with 1
     */
    public FrameSet(final String protocol, final T[] frames) {
        this.protocol = protocol;
        this.byCode = frames.clone();
        for (int i = 0; i < frames.length; i++) {
            if (frames[i].code() != i + 1) {
                throw new IllegalArgumentException(
                        frames[i] + " frame: code=" + frames[i].code() + ", expected " + (i + 1));
            }
        }
    }

    /**
     * Reads a header at the position of {@code in}, and moves it behind.
     *
     * @param accepted the versions that a frame may have here: those that this side speaks until
     *     both sides have agreed on one, that one from then on
     * @throws OtherVersionException for another version
     * @throws MalformedFrameException for too few bytes, an unknown type or a length out of bounds
     */
    public FrameHeader<T> header(final ByteBuffer in, final VersionRange accepted)
            throws MalformedFrameException {
        if (in.remaining() < FrameHeader.LENGTH) {
            throw MalformedFrameException.of(
                    protocol, "header length", in.remaining(), "at least " + FrameHeader.LENGTH);
        }
        final int start = in.position();
        final T type = typeOf(in.get(start + FrameHeader.TYPE_OFFSET));
        final int version = FrameHeader.version(in);
        if (!accepted.contains(version)) {
            throw new OtherVersionException(type, version, accepted);
        }
        final int bodyLength = in.getInt(start + FrameHeader.BODY_LENGTH_OFFSET);
        if (bodyLength < type.minBodyLength() || bodyLength > type.maxBodyLength()) {
            throw MalformedFrameException.of(
                    type,
                    "body length",
                    bodyLength,
                    type.minBodyLength() + " to " + type.maxBodyLength());
        }
        in.position(start + FrameHeader.LENGTH);
        return new FrameHeader<>(type, version, bodyLength);
    }

    private T typeOf(final byte code) throws MalformedFrameException {
        if (code < 1 || code > byCode.length) {
            throw MalformedFrameException.of(
                    protocol, "type", Byte.toUnsignedInt(code), "1 to " + byCode.length);
        }
        return byCode[code - 1];
    }
}
