// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

/**
 * Where one segment lies in its file, as {@code org.apache.hadoop.mapred.IndexRecord}. Immutable.
 *
 * @param startOffset where the segment starts in the file, in bytes
 * @param rawLength the segment's length uncompressed, its end marker included, without checksum;
 *     with the header of a {@link SegmentCipher}
 * @param partLength the segment's length in the file, its checksum included
 */
public record IndexEntry(long startOffset, long rawLength, long partLength) {
    /** Checks the fields. */
    public IndexEntry {
        if (startOffset < 0 || rawLength < 0 || partLength < 0) {
            throw new IllegalArgumentException(
                    "startOffset="
                            + startOffset
                            + " rawLength="
                            + rawLength
                            + " partLength="
                            + partLength
                            + ", expected all >= 0");
        }
    }
}
