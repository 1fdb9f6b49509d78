// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Writes a frame into memory that grows with it, the fields of its body in order. Used by one
 * thread.
 */
public final class FrameWriter {
    private static final int FIRST_LENGTH = 256;

    private final FrameKind kind;
    private final FrameForm form;
    private ByteBuffer out = ByteBuffer.allocate(FIRST_LENGTH);

    FrameWriter(final FrameKind kind, final FrameForm form, final int version) {
        this.kind = kind;
        this.form = form;
        out.put(kind.code()).put((byte) version).position(form.headerLength());
    }

    private ByteBuffer room(final int length) {
        if (out.remaining() < length) {
            final int needed = out.position() + length;
            out = ByteBuffer.allocate(Math.max(needed, 2 * out.capacity())).put(out.flip());
        }
        return out;
    }

    /** A byte that is 0 or 1. */
    public FrameWriter flag(final boolean value) {
        room(1).put((byte) (value ? 1 : 0));
        return this;
    }

    /** Four bytes. */
    public FrameWriter int32(final int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    /** Eight bytes. */
    public FrameWriter int64(final long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    /** Bytes behind their length; another length is the caller's error. */
    public FrameWriter block(final String field, final byte[] bytes, final int min, final int max) {
        if (bytes.length < min || bytes.length > max) {
            throw new IllegalArgumentException(
                    field + " length=" + bytes.length + ", expected " + min + " to " + max);
        }
        final ByteBuffer target = room(Integer.BYTES + bytes.length);
        if (form.longTexts()) {
            target.putInt(bytes.length).put(bytes);
        } else {
            Texts.put(target, bytes);
        }
        return this;
    }

    private FrameWriter block(final byte[] bytes) {
        return block("text", bytes, 0, Integer.MAX_VALUE);
    }

    /** An {@link io.spillway.transport.OpaqueId}. */
    public FrameWriter id(final String field, final String id) {
        return block(Texts.id(field, id));
    }

    /** Printable ASCII without blanks. */
    public FrameWriter name(final String field, final String name, final int maxLength) {
        return block(Texts.name(field, name, maxLength));
    }

    /** Text for people, on one line, cut where it is too long. */
    public FrameWriter message(final String text, final int maxLength) {
        return block(Texts.message(Texts.printable(text), maxLength));
    }

    /** UTF-8 without control characters; another one is the caller's error. */
    public FrameWriter text(final String field, final String text, final int min, final int max) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length < min || bytes.length > max || !Texts.isPrintable(text)) {
            throw new IllegalArgumentException(
                    field + "=" + text + ", expected " + min + " to " + max + " printable bytes");
        }
        return block(bytes);
    }

    /** The number of entries, then each. */
    public <E> FrameWriter list(final List<E> entries, final BiConsumer<FrameWriter, E> entry) {
        int32(entries.size());
        entries.forEach(each -> entry.accept(this, each));
        return this;
    }

    /**
     * The whole frame.
     *
     * @throws IllegalArgumentException where its body is too long or too short
     */
    public ByteBuffer finish() {
        final int bodyLength = out.position() - form.headerLength();
        if (!kind.body().contains(bodyLength)) {
            throw new IllegalArgumentException(
                    kind + " frame: body length=" + bodyLength + ", expected " + kind.body());
        }
        if (form.hasLength()) {
            out.putInt(form.lengthOffset(), bodyLength);
        }
        return out.flip();
    }
}
