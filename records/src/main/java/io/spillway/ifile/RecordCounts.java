// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The account of records of a map output, of one of its runs, or of a spill: how many records each
 * segment has, as its writer counted them. Immutable.
 *
 * <p>The map writes it beside the index, in a file of its own: a node that does not know the file
 * serves the output without it. The file: {@link #MAGIC}, the number of the output's runs, the
 * number of segments, the counts, and the CRC32C of all that. All numbers are big-endian; all but
 * the magic have four bytes. A count is unsigned.
 */
public final class RecordCounts {
    /** What the file's name adds to that of the data file. */
    public static final String SUFFIX = ".records";

    /** {@code SPWRECS1}: what the file begins with. */
    public static final long MAGIC = 0x5350575245435331L;

    /** Offset of {@link #MAGIC}. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the number of runs of the map output. */
    public static final int RUNS_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** Offset of the number of segments. */
    public static final int SEGMENTS_OFFSET = RUNS_OFFSET + Integer.BYTES;

    /** Offset of the first count. */
    public static final int COUNTS_OFFSET = SEGMENTS_OFFSET + Integer.BYTES;

    /** Says that a segment's records were not counted, or are more than {@link #MAX}. */
    public static final long UNKNOWN = -1;

    /** The most records of one segment that are counted. */
    public static final long MAX = 0xFFFF_FFFEL;

    /** Of an output whose records were not counted. */
    public static final RecordCounts NONE = new RecordCounts(new int[0]);

    private static final int UNKNOWN_CODE = -1;

    private final int[] counts;

    private RecordCounts(final int[] counts) {
        this.counts = counts;
    }

    /**
     * Creates an account.
     *
     * @param counts by partition; what lies beyond {@link #MAX} becomes {@link #UNKNOWN}
     */
    public static RecordCounts of(final long... counts) {
        final int[] codes = new int[counts.length];
        for (int partition = 0; partition < codes.length; partition++) {
            codes[partition] = codeOf(counts[partition]);
        }
        return new RecordCounts(codes);
    }

    private static int codeOf(final long records) {
        return records < 0 || records > MAX ? UNKNOWN_CODE : (int) records;
    }

    /** The records of a segment, or {@link #UNKNOWN}. */
    public long of(final int partition) {
        return partition < counts.length && counts[partition] != UNKNOWN_CODE
                ? Integer.toUnsignedLong(counts[partition])
                : UNKNOWN;
    }

    /** The bytes of memory that it takes. */
    public long memory() {
        return (long) counts.length * Integer.BYTES;
    }

    /**
     * Requires that two counts of the same records agree.
     *
     * @param what whose records, for the message
     * @param expected as the writer counted, or {@link #UNKNOWN}: then nothing is required
     * @param found as the reader counted
     * @throws IOException with both numbers
     */
    public static void require(final String what, final long expected, final long found)
            throws IOException {
        if (expected != UNKNOWN && expected != found) {
            throw new IOException(
                    "Wrong number of records in "
                            + what
                            + ": expected="
                            + expected
                            + " found="
                            + found);
        }
    }

    /**
     * Writes the file; does not close {@code out}.
     *
     * @param runs of how many runs the map output is
     */
    public void writeTo(final OutputStream out, final int runs) throws IOException {
        SealedFile.write(out, MAGIC, new int[] {runs, counts.length}, counts);
    }

    /**
     * Reads a file and checks all of it.
     *
     * @param encoded the whole file
     * @param name the file's name, for messages
     * @param partitions the segments of the data file
     * @param runs of how many runs the map output is
     * @throws IOException when it is damaged, or belongs to another output
     */
    public static RecordCounts readFrom(
            final byte[] encoded, final String name, final int partitions, final int runs)
            throws IOException {
        final SealedFile file = new SealedFile("account of records " + name);
        final ByteBuffer in = file.check(encoded, MAGIC, COUNTS_OFFSET);
        file.require("runs", in.getInt(RUNS_OFFSET), runs);
        file.require("segments", in.getInt(SEGMENTS_OFFSET), partitions);
        file.require("end", in.limit(), COUNTS_OFFSET + partitions * Integer.BYTES);
        return readPart(in.position(COUNTS_OFFSET));
    }

    /**
     * Reads the counts of some neighbouring segments of a file. Checks nothing: the file's checksum
     * is one of all.
     *
     * @param encoded from its position to its limit
     */
    public static RecordCounts readPart(final ByteBuffer encoded) {
        final int[] counts = new int[encoded.remaining() / Integer.BYTES];
        encoded.asIntBuffer().get(counts);
        return new RecordCounts(counts);
    }
}
