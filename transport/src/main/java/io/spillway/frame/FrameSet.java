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
    private final FrameForm form;
    private final T[] byCode;

    /**
     * Creates a set.
     *
     * @param protocol how errors name a frame of which no more is known
     * @param frames in the order of their codes
     */
    public FrameSet(final String protocol, final FrameForm form, final T[] frames) {
        this.protocol = protocol;
        this.form = form;
        this.byCode = frames.clone();
        for (int i = 0; i < frames.length; i++) {
            final int expected = form.firstCode() + i;
            if (frames[i].code() != expected) {
                throw new IllegalArgumentException(
                        frames[i] + " frame: code=" + frames[i].code() + ", expected " + expected);
            }
        }
    }

    /**
     * Reads the type of the frame at the position of {@code in}, which stays. Makes no object.
     *
     * @param accepted the versions that a frame may have here: those that this side speaks until
     *     both sides have agreed on one, that one from then on
     * @throws OtherVersionException for another version
     * @throws MalformedFrameException for too few bytes or an unknown type
     */
    public T type(final ByteBuffer in, final VersionRange accepted) throws MalformedFrameException {
        if (in.remaining() < form.headerLength()) {
            throw MalformedFrameException.of(
                    protocol, "header length", in.remaining(), "at least " + form.headerLength());
        }
        final int index =
                Byte.toUnsignedInt(in.get(in.position() + FrameHeader.TYPE_OFFSET))
                        - form.firstCode();
        if (index < 0 || index >= byCode.length) {
            throw MalformedFrameException.of(
                    protocol,
                    "type",
                    index + form.firstCode(),
                    form.firstCode() + " to " + (form.firstCode() + byCode.length - 1));
        }
        final int version = FrameHeader.version(in);
        if (!accepted.contains(version)) {
            throw new OtherVersionException(byCode[index], version, accepted);
        }
        return byCode[index];
    }

    /**
     * Reads a header at the position of {@code in}, and moves it behind.
     *
     * @param accepted as of {@link #type}
     * @throws MalformedFrameException as {@link #type}, and for a length out of bounds
     */
    public FrameHeader<T> header(final ByteBuffer in, final VersionRange accepted)
            throws MalformedFrameException {
        final T type = type(in, accepted);
        final int start = in.position();
        final int bodyLength =
                form.hasLength()
                        ? in.getInt(start + form.lengthOffset())
                        : in.remaining() - form.headerLength();
        if (!type.body().contains(bodyLength)) {
            throw MalformedFrameException.of(
                    type, "body length", bodyLength, type.body().toString());
        }
        final FrameHeader<T> header = new FrameHeader<>(type, FrameHeader.version(in), bodyLength);
        in.position(start + form.headerLength());
        return header;
    }

    /** Reads the fields of a body. */
    public FrameReader reader(final T type, final ByteBuffer body) {
        return new FrameReader(type, body, form.longTexts());
    }

    /** Begins a frame. */
    public FrameWriter writer(final T type, final int version) {
        return new FrameWriter(type, form, version);
    }
}
