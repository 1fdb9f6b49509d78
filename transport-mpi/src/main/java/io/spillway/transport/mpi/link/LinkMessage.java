// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.link;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameForm;
import io.spillway.frame.FrameKind;
import io.spillway.frame.FrameSet;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.mpi.channel.PieceSizes;
import io.spillway.version.VersionRange;
import java.nio.ByteBuffer;

/**
 * A message between a task and the rank of its host, as read. Layout, big endian:
 *
 * <pre>
 *  0  kind, 1 byte     1  version, 1 byte
 *  2  the newest version that the sender speaks, 1 byte, 0 for version 1     3  0, 1 byte
 *  4  length of the bytes that follow the header, 4 bytes
 *  8  number of the stream within this link, which the task has chosen, 4 bytes
 * 12  of OPEN the rank; of READY this rank, 4 bytes
 * 16  of OPEN the server within the rank; of READY how many ranks there are, 4 bytes
 * 20  bytes in the shared memory: length, 0 for none; of READY how much memory is shared, 4 bytes
 * 24  bytes in the shared memory: offset, 4 bytes
 * 28  of READY the number of the world, 8 bytes
 * 36  bytes: of the stream, before those in memory; of READY the path of the memory, in UTF-8
 * </pre>
 *
 * <p>A side that speaks several versions begins with the oldest of them. With the other side's
 * first message it knows the newest one of that side, and goes on with the newest that both speak.
 * Version 1 is the only one so far: a message states to the next release that this side speaks no
 * other.
 *
 * <p>Bytes in memory belong to the receiver of DATA until it sends FREE.
 *
 * @param stream within this link
 * @param first the rank
 * @param second the server, or the number of ranks
 * @param bulkLength bytes in memory
 * @param bulkOffset where they begin
 * @param world the world's number
 * @param inlineLength bytes behind the header
 */
public record LinkMessage(
        Kind kind,
        int stream,
        int first,
        int second,
        int bulkLength,
        int bulkOffset,
        long world,
        int inlineLength) {
    /** What it says. */
    public enum Kind implements FrameKind {
        /** Task: who it is that connects; the rank answers with READY. */
        HELLO(0),
        /** Rank: its world, and the memory that is shared with this task. */
        READY(1),
        /** Rank: it serves as many tasks as it may. */
        BUSY(2),
        /** Task: asks for a stream to a server. */
        OPEN(3),
        /** Rank: the stream is open. */
        OPENED(4),
        /** Both: bytes. */
        DATA(5),
        /** Both: the bytes in memory are not needed any more. */
        FREE(6),
        /** Both: the stream has ended. */
        CLOSE(7);

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

    /** Length of the header. */
    public static final int HEADER_LENGTH = 36;

    private static final VersionRange VERSIONS = VersionRange.only(1);
    private static final FrameSet<Kind> MESSAGES =
            new FrameSet<>(
                    "link",
                    new FrameForm(0, HEADER_LENGTH, PieceSizes.INLINE_OFFSET, false),
                    Kind.values());

    private static final int STREAM_OFFSET = 8;
    private static final int FIRST_OFFSET = 12;
    private static final int SECOND_OFFSET = 16;
    private static final int BULK_LENGTH_OFFSET = 20;
    private static final int BULK_OFFSET_OFFSET = 24;
    private static final int WORLD_OFFSET = 28;

    /** A message of a kind that says no more. */
    public static LinkMessage of(final Kind kind) {
        return new LinkMessage(kind, 0, 0, 0, 0, 0, 0, 0);
    }

    /** A message about a stream that says no more. */
    public static LinkMessage of(final Kind kind, final int stream) {
        return new LinkMessage(kind, stream, 0, 0, 0, 0, 0, 0);
    }

    /** Asks for a stream. */
    public static LinkMessage open(final int stream, final int rank, final int service) {
        return new LinkMessage(Kind.OPEN, stream, rank, service, 0, 0, 0, 0);
    }

    /** Bytes: some behind the header, some in memory. */
    public static LinkMessage data(
            final int stream, final int inlineLength, final int bulkOffset, final int bulkLength) {
        return new LinkMessage(Kind.DATA, stream, 0, 0, bulkLength, bulkOffset, 0, inlineLength);
    }

    /** Gives bytes in memory back. */
    public static LinkMessage free(final int bulkOffset, final int bulkLength) {
        return new LinkMessage(Kind.FREE, 0, 0, 0, bulkLength, bulkOffset, 0, 0);
    }

    /** The world, and the memory whose path follows. */
    public static LinkMessage ready(
            final long world,
            final int rank,
            final int size,
            final int memory,
            final int pathLength) {
        return new LinkMessage(Kind.READY, 0, rank, size, memory, 0, world, pathLength);
    }

    /** Writes the header; {@link #inlineLength} bytes follow. */
    public void encode(final ByteBuffer out) {
        out.put(kind.code).put((byte) VERSIONS.oldest());
        out.put((byte) VERSIONS.newest()).put((byte) 0);
        out.putInt(inlineLength).putInt(stream).putInt(first).putInt(second);
        out.putInt(bulkLength).putInt(bulkOffset).putLong(world);
    }

    /**
     * Reads a header that begins at the buffer's position, which stays.
     *
     * @return null where not all of the message has come
     * @throws MalformedFrameException for a value out of its range
     */
    public static LinkMessage decode(final ByteBuffer in) throws MalformedFrameException {
        if (in.remaining() < HEADER_LENGTH) {
            return null;
        }
        final Kind kind = MESSAGES.type(in, VERSIONS);
        final int inline = MESSAGES.bodyLength(kind, in);
        if (in.remaining() < HEADER_LENGTH + inline) {
            return null;
        }
        final int start = in.position();
        return new LinkMessage(
                kind,
                in.getInt(start + STREAM_OFFSET),
                in.getInt(start + FIRST_OFFSET),
                in.getInt(start + SECOND_OFFSET),
                in.getInt(start + BULK_LENGTH_OFFSET),
                in.getInt(start + BULK_OFFSET_OFFSET),
                in.getLong(start + WORLD_OFFSET),
                inline);
    }
}
