package io.spillway.wire;

import java.nio.ByteBuffer;

/**
 * Answers a fetch; {@link #length} bytes of the segment follow the frame.
 *
 * @param requestId of the fetch
 * @param partLength the segment's length in the file
 * @param rawLength the segment's length uncompressed
 * @param runs of how many runs the segment is; the lengths are those of the one asked for
 * @param length the bytes that follow
 */
public record DataFrame(long requestId, long partLength, long rawLength, int runs, int length) {
    /** Offset of the request id in the body. */
    public static final int REQUEST_ID_OFFSET = 0;

    /** Offset of the segment's length in the body. */
    public static final int PART_LENGTH_OFFSET = REQUEST_ID_OFFSET + Long.BYTES;

    /** Offset of the segment's uncompressed length in the body. */
    public static final int RAW_LENGTH_OFFSET = PART_LENGTH_OFFSET + Long.BYTES;

    /** Offset of the number of runs in the body. */
    public static final int RUNS_OFFSET = RAW_LENGTH_OFFSET + Long.BYTES;

    /** Offset of the length of the bytes that follow. */
    public static final int LENGTH_OFFSET = RUNS_OFFSET + Integer.BYTES;

    static final int BODY_LENGTH = LENGTH_OFFSET + Integer.BYTES;

    /** The bytes of header and body. */
    public static final int FRAME_LENGTH = FrameHeader.LENGTH + BODY_LENGTH;

    /** Writes header and body. */
    public void encode(final ByteBuffer out) {
        FrameHeader.encode(out, FrameType.DATA, BODY_LENGTH);
        out.putLong(requestId).putLong(partLength).putLong(rawLength);
        out.putInt(runs).putInt(length);
    }

    /** Reads a body. */
    public static DataFrame decode(final ByteBuffer body) throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.DATA, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final long partLength = in.int64("partLength", 0);
        final long rawLength = in.int64("rawLength", 0);
        final int runs = in.int32("runs", 1, Integer.MAX_VALUE);
        final int length = in.int32("length", 0, Integer.MAX_VALUE);
        in.end();
        if (length > partLength) {
            throw MalformedFrameException.of(
                    FrameType.DATA, "length", length, "0 to partLength=" + partLength);
        }
        return new DataFrame(requestId, partLength, rawLength, runs, length);
    }
}
