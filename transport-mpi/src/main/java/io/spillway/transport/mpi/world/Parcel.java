// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.world;

import io.netty.buffer.ByteBuf;
import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameForm;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameSet;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * The message by which one rank tells another of a step of a stream, as read. Layout, big endian:
 *
 * <pre>
 *  0  kind, 1 byte     1  version, 1 byte
 *  2  the newest version that the sender speaks, 1 byte, 0 for version 1     3  0, 1 byte
 *  4  length of the bytes that follow the header, 4 bytes
 *  8  the stream's number at the receiver; of OPEN the server's number, 8 bytes
 * 16  the stream's number at the sender, 8 bytes
 * 24  length of the bytes in a message of their own, 0 for none, 4 bytes
 * 28  the tag of that message, 4 bytes
 * 32  bytes of the stream, before those of the other message
 * </pre>
 *
 * <p>A rank that speaks several versions begins a stream with the oldest of them. With the other
 * end's first message it knows the newest one of that end, and goes on with the newest that both
 * speak. Version 1 is the only one so far.
 *
 * @param to number of the stream at the receiver
 * @param from number of the stream at the sender
 * @param inlineLength bytes of the stream behind the header
 * @param bulkLength bytes of the stream in a message of their own
 * @param bulkTag the tag of that message
 */
record Parcel(Kind kind, long to, long from, int inlineLength, int bulkLength, int bulkTag) {
    /** What happens to the stream. */
    enum Kind implements FrameKind {
        /** A client's end asks for the other one. */
        OPEN(0),
        /** The other end is there. */
        OPENED(1),
        /** There is no such server. */
        REFUSED(2),
        /** Bytes. */
        DATA(3),
        /** The sender's end is gone. */
        CLOSE(4);

        private final byte code;

        Kind(final int code) {
            this.code = (byte) code;
        }

        @Override
        public byte code() {
            return code;
        }

        @Override
        public BodyBounds body() {
            return PieceSizes.INLINE;
        }
    }

    static final int HEADER_LENGTH = PieceSizes.MAX_MESSAGE - PieceSizes.MAX_INLINE;

    private static final VersionRange VERSIONS = VersionRange.only(1);
    private static final FrameSet<Kind> PARCELS =
            new FrameSet<>(
                    "parcel",
                    new FrameForm(0, HEADER_LENGTH, PieceSizes.INLINE_OFFSET, false),
                    Kind.values());

    private static final int TO_OFFSET = 8;
    private static final int FROM_OFFSET = 16;
    private static final int BULK_LENGTH_OFFSET = 24;
    private static final int BULK_TAG_OFFSET = 28;

    /** Begins a message; bytes of the stream may be appended, {@link #end} follows. */
    static void begin(final ByteBuf out, final Kind kind, final long to, final long from) {
        out.writeByte(kind.code);
        out.writeByte(VERSIONS.oldest());
        out.writeByte(VERSIONS.newest());
        out.writeByte(0);
        out.writeInt(0);
        out.writeLong(to);
        out.writeLong(from);
        out.writeInt(0);
        out.writeInt(0);
    }

    /** Ends it. */
    static void end(final ByteBuf out, final int bulkLength, final int bulkTag) {
        out.setInt(PieceSizes.INLINE_OFFSET, out.readableBytes() - HEADER_LENGTH);
        out.setInt(BULK_LENGTH_OFFSET, bulkLength);
        out.setInt(BULK_TAG_OFFSET, bulkTag);
    }

    /**
     * Reads a header.
     *
     * @param bytes a message, its remaining bytes
     * @throws MalformedFrameException for a value out of its range
     */
    static Parcel decode(final ByteBuffer bytes) throws MalformedFrameException {
        final Kind kind = PARCELS.type(bytes, VERSIONS);
        final int inline = PARCELS.bodyLength(kind, bytes);
        final int rest = bytes.remaining() - HEADER_LENGTH;
        MalformedFrameException.require(kind, "body length", inline, rest, rest);
        final int start = bytes.position();
        final int bulk = bytes.getInt(start + BULK_LENGTH_OFFSET);
        MalformedFrameException.require(kind, "bulk length", bulk, 0, PieceSizes.MAX_BULK);
        final int tag = bytes.getInt(start + BULK_TAG_OFFSET);
        if (bulk > 0) {
            MalformedFrameException.require(
                    kind, "bulk tag", tag, BulkTags.FIRST, Integer.MAX_VALUE);
        }
        return new Parcel(
                kind,
                bytes.getLong(start + TO_OFFSET),
                bytes.getLong(start + FROM_OFFSET),
                inline,
                bulk,
                tag);
    }
}
