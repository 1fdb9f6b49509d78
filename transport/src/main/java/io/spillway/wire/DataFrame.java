// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.BodyBounds;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * Answers a fetch; {@link #length} bytes of the segment follow the frame.
 *
 * @param requestId of the fetch
 * @param partLength the segment's length in the file
 * @param rawLength the segment's length uncompressed
 * @param runs of how many runs the segment is; the lengths are those of the one asked for
 * @param length the bytes that follow
 * @param checksum the CRC32C of the bytes that follow, made of those that the map wrote for blocks;
 *     {@link #NO_CHECKSUM} where there are none
 * @param tier the code of {@link io.spillway.store.tier.Tier}
 * @param records how many the segment has, as its map counted; {@link #UNKNOWN_RECORDS} where it
 *     did not. Since version 13
 * @param guard the CRC32C of the fetch, as the node has understood it, and of the fields above: a
 *     bit that is turned on the way is noticed before anything is done with the answer
 */
public record DataFrame(
        long requestId,
        long partLength,
        long rawLength,
        int runs,
        int length,
        long checksum,
        int tier,
        long records,
        int guard) {
    /** Says that the bytes have no checksum. */
    public static final long NO_CHECKSUM = -1;

    /** Says that the number of records is not known. */
    public static final long UNKNOWN_RECORDS = -1;

    static final BodyBounds BODY =
            BodyBounds.of(4 * Long.BYTES + 4 * Integer.BYTES).plus(0, Long.BYTES);

    /** The longest encoding, header included. */
    public static final int MAX_LENGTH = FrameHeader.LENGTH + BODY.most();

    private static final int MAX_GUARDED = FetchFrame.MAX_LENGTH + MAX_LENGTH;
    private static final long MAX_CHECKSUM = 0xFFFF_FFFFL;

    /** The answer to a fetch. */
    public static DataFrame answering(
            final FetchFrame fetch,
            final long partLength,
            final long rawLength,
            final int runs,
            final int length,
            final long checksum,
            final int tier,
            final long records,
            final int version) {
        final DataFrame unguarded =
                new DataFrame(
                        fetch.requestId(),
                        partLength,
                        rawLength,
                        runs,
                        length,
                        checksum,
                        tier,
                        records,
                        0);
        return new DataFrame(
                fetch.requestId(),
                partLength,
                rawLength,
                runs,
                length,
                checksum,
                tier,
                records,
                unguarded.guardOf(fetch, version));
    }

    /** Whether this is what a node said that has understood this fetch. */
    public boolean answers(final FetchFrame fetch, final int version) {
        return guard == guardOf(fetch, version);
    }

    private int guardOf(final FetchFrame fetch, final int version) {
        final ByteBuffer guarded = ByteBuffer.allocate(MAX_GUARDED);
        fetch.encode(guarded, version);
        putFields(guarded, version);
        final CRC32C crc = new CRC32C();
        crc.update(guarded.flip());
        return (int) crc.getValue();
    }

    /** Writes header and body. */
    public void encode(final ByteBuffer out, final int version) {
        final int start = FrameHeader.begin(out, FrameType.DATA, version);
        putFields(out, version);
        out.putInt(guard);
        FrameHeader.end(out, start);
    }

    private static boolean hasRecords(final int version) {
        return version >= FrameType.V13;
    }

    private void putFields(final ByteBuffer out, final int version) {
        out.putLong(requestId).putLong(partLength).putLong(rawLength);
        out.putInt(runs).putInt(length).putLong(checksum).putInt(tier);
        if (hasRecords(version)) {
            out.putLong(records);
        }
    }

    /** Reads a body. */
    public static DataFrame decode(final ByteBuffer body, final int version)
            throws MalformedFrameException {
        final FrameReader in = new FrameReader(FrameType.DATA, body);
        final long requestId = in.int64("requestId", Long.MIN_VALUE);
        final long partLength = in.int64("partLength", 0);
        final long rawLength = in.int64("rawLength", 0);
        final int runs = in.int32("runs", 1, Integer.MAX_VALUE);
        final int length = in.int32("length", 0, Integer.MAX_VALUE);
        final long checksum = in.int64("checksum", NO_CHECKSUM, MAX_CHECKSUM);
        final int tier = in.int32("tier", 0, Integer.MAX_VALUE);
        final long records =
                hasRecords(version) ? in.int64("records", UNKNOWN_RECORDS) : UNKNOWN_RECORDS;
        final int guard = in.int32("guard");
        in.end();
        if (length > partLength) {
            throw MalformedFrameException.of(
                    FrameType.DATA, "length", length, "0 to partLength=" + partLength);
        }
        return new DataFrame(
                requestId, partLength, rawLength, runs, length, checksum, tier, records, guard);
    }
}
