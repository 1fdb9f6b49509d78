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
     * Reads the length of the body that follows the header at the position of {@code in}, which
     * stays.
     *
     * @throws MalformedFrameException for a length out of the type's bounds
     */
    public int bodyLength(final T type, final ByteBuffer in) throws MalformedFrameException {
        final int length =
                form.hasLength()
                        ? in.getInt(in.position() + form.lengthOffset())
                        : in.remaining() - form.headerLength();
        final BodyBounds body = type.body();
        MalformedFrameException.require(type, "body length", length, body.least(), body.most());
        return length;
    }

    /**
     * Reads a header at the position of {@code in}, and moves it behind.
     *
     * @param accepted as of {@link #type}
     * @throws MalformedFrameException as {@link #type} and {@link #bodyLength}
     */
    public FrameHeader<T> header(final ByteBuffer in, final VersionRange accepted)
            throws MalformedFrameException {
        final T type = type(in, accepted);
        final FrameHeader<T> header =
                new FrameHeader<>(type, FrameHeader.version(in), bodyLength(type, in));
        in.position(in.position() + form.headerLength());
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
