// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.message;

import io.spillway.frame.Texts;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentPlace;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.BiConsumer;

/** Writes the fields of a message in order. Used by one thread. */
public final class MessageWriter {
    private static final int FIRST_LENGTH = 256;

    private final MessageKind kind;
    private ByteBuffer out = ByteBuffer.allocate(FIRST_LENGTH);

    /** Begins a message whose layout is the same in all versions. */
    public MessageWriter(final MessageKind kind) {
        this(kind, MessageKind.VERSIONS.oldest());
    }

    /** Begins a message. */
    MessageWriter(final MessageKind kind, final int version) {
        this.kind = kind;
        out.put(kind.code()).put((byte) version);
    }

    private ByteBuffer room(final int length) {
        if (out.remaining() < length) {
            final int needed = out.position() + length;
            out = ByteBuffer.allocate(Math.max(needed, 2 * out.capacity())).put(out.flip());
        }
        return out;
    }

    /** A byte that is 0 or 1. */
    public MessageWriter flag(final boolean value) {
        room(1).put((byte) (value ? 1 : 0));
        return this;
    }

    /** Four bytes. */
    public MessageWriter int32(final int value) {
        room(Integer.BYTES).putInt(value);
        return this;
    }

    /** Eight bytes. */
    public MessageWriter int64(final long value) {
        room(Long.BYTES).putLong(value);
        return this;
    }

    /** At most 65,535 bytes. */
    MessageWriter block(final byte[] bytes) {
        Texts.put(room(Short.BYTES + bytes.length), bytes);
        return this;
    }

    /** An {@link io.spillway.transport.OpaqueId}. */
    public MessageWriter id(final String field, final String id) {
        return block(Texts.id(field, id));
    }

    /** UTF-8, of at most 65,535 bytes. */
    public MessageWriter text(final String text) {
        return block(text.getBytes(StandardCharsets.UTF_8));
    }

    MessageWriter name(final String field, final String name, final int maxLength) {
        return block(Texts.name(field, name, maxLength));
    }

    MessageWriter address(final NodeAddress address) {
        return name("host", address.host(), SegmentPlace.MAX_HOST_LENGTH).int32(address.port());
    }

    MessageWriter place(final SegmentPlace place) {
        return address(place.address()).int64(place.epoch());
    }

    /** The number of entries, then each. */
    public <T> MessageWriter list(final List<T> entries, final BiConsumer<MessageWriter, T> entry) {
        int32(entries.size());
        entries.forEach(e -> entry.accept(this, e));
        return this;
    }

    /**
     * The whole message.
     *
     * @throws IllegalArgumentException where it is too long
     */
    public ByteBuffer finish() {
        if (out.position() > MessageKind.MAX_LENGTH) {
            throw new IllegalArgumentException(
                    kind
                            + " message: length="
                            + out.position()
                            + ", expected at most "
                            + MessageKind.MAX_LENGTH);
        }
        return out.flip();
    }
}
