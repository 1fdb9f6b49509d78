// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

import io.spillway.conf.TierName;

/**
 * What a completed fetch tells, beside the bytes. Immutable.
 *
 * @param partLength the segment's length in the file and on the wire, its checksum included
 * @param rawLength the segment's length uncompressed, its end marker included, as the index says
 * @param runs of how many sorted runs the segment is; the lengths are those of the one asked for
 * @param length the bytes that this fetch brought, 0 to the length asked for; less only at the end
 * @param checksum the CRC32C that the bytes must have, made of the checksums that the map wrote;
 *     {@link #NO_CHECKSUM} where there are none. The transport does not compare it
 * @param tier the code of the tier where the node keeps the segment ({@link TierName#code}); {@link
 *     TierName#NOT_SERVED} where the node does not say
 * @param records how many the segment has, as its map counted; {@link #UNKNOWN_RECORDS} where the
 *     map did not, or the node does not say
 */
public record FetchReply(
        long partLength,
        long rawLength,
        int runs,
        int length,
        long checksum,
        int tier,
        long records) {
    /** Says that the map wrote no checksums of blocks, or that the piece is not of whole ones. */
    public static final long NO_CHECKSUM = -1;

    /** Says that the number of a segment's records is not known. */
    public static final long UNKNOWN_RECORDS = -1;

    /** A reply without a checksum. */
    public FetchReply(
            final long partLength, final long rawLength, final int runs, final int length) {
        this(
                partLength,
                rawLength,
                runs,
                length,
                NO_CHECKSUM,
                TierName.NOT_SERVED,
                UNKNOWN_RECORDS);
    }

    /** A reply about a segment of one run, without a checksum. */
    public FetchReply(final long partLength, final long rawLength, final int length) {
        this(partLength, rawLength, 1, length);
    }

    /** Whether the bytes can be verified. */
    public boolean hasChecksum() {
        return checksum != NO_CHECKSUM;
    }
}
