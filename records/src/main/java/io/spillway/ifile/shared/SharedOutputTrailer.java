// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The last bytes of a map output on a shared file system: what lies where in the file. It is
 * written last and is always {@value #LENGTH} bytes long, so that a reader finds it at the end, and
 * a file that does not end with it is not finished. All numbers are big-endian. Immutable.
 *
 * <p>Before it lie, from the file's first byte on, the segments, the index, the checksums of
 * blocks, the counts of records, and the output's name, one behind the other without gaps.
 *
 * @param dataLength the bytes of all segments
 * @param indexLength the bytes of the index
 * @param checksumsLength those of the checksums of blocks; 0 where there are none
 * @param countsLength those of the counts of records
 * @param nameLength those of the output's name
 * @param checksum the CRC32C of what lies between the segments and the trailer
 */
record SharedOutputTrailer(
        long dataLength,
        int indexLength,
        int checksumsLength,
        int countsLength,
        int nameLength,
        int checksum) {
    /** {@code SPWSHRD1}. */
    static final long MAGIC = 0x5350575348524431L;

    static final int VERSION = 1;

    static final int MAGIC_OFFSET = 0;

    static final int VERSION_OFFSET = MAGIC_OFFSET + Long.BYTES;

    static final int INDEX_LENGTH_OFFSET = VERSION_OFFSET + Integer.BYTES;

    static final int DATA_LENGTH_OFFSET = INDEX_LENGTH_OFFSET + Integer.BYTES;

    static final int CHECKSUMS_LENGTH_OFFSET = DATA_LENGTH_OFFSET + Long.BYTES;

    static final int COUNTS_LENGTH_OFFSET = CHECKSUMS_LENGTH_OFFSET + Integer.BYTES;

    static final int NAME_LENGTH_OFFSET = COUNTS_LENGTH_OFFSET + Integer.BYTES;

    static final int CHECKSUM_OFFSET = NAME_LENGTH_OFFSET + Integer.BYTES;

    /** Offset of the CRC32C of all that is before it in the trailer. */
    static final int OWN_CHECKSUM_OFFSET = CHECKSUM_OFFSET + Integer.BYTES;

    static final int LENGTH = OWN_CHECKSUM_OFFSET + Integer.BYTES;

    /** Bounds what a damaged file makes a reader allocate: the index of a million partitions. */
    static final int MAX_TAIL_LENGTH = 64 << 20;

    /** The bytes from the end of the segments to the end of the file. */
    long tailLength() {
        return (long) indexLength + checksumsLength + countsLength + nameLength + LENGTH;
    }

    void writeTo(final ByteBuffer out) {
        final int start = out.position();
        out.putLong(MAGIC).putInt(VERSION);
        out.putInt(indexLength).putLong(dataLength).putInt(checksumsLength);
        out.putInt(countsLength).putInt(nameLength).putInt(checksum);
        out.putInt(checksumOf(out, start, OWN_CHECKSUM_OFFSET));
    }

    static int checksumOf(final ByteBuffer bytes, final int start, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(start + length).position(start));
        return (int) crc.getValue();
    }

    /**
     * Reads a trailer and checks it.
     *
     * @param in the last bytes of the file, up to the limit
     * @param file its name, for messages
     * @param fileLength its length in bytes
     */
    static SharedOutputTrailer readFrom(
            final ByteBuffer in, final String file, final long fileLength)
            throws UnfinishedOutputException {
        final int start = in.limit() - LENGTH;
        if (start < in.position()) {
            throw unfinished(file, "length", fileLength, "at least " + LENGTH);
        }
        final long magic = in.getLong(start + MAGIC_OFFSET);
        if (magic != MAGIC) {
            throw unfinished(file, "magic", magic, MAGIC + ", which is SPWSHRD1");
        }
        final int checksum = checksumOf(in, start, OWN_CHECKSUM_OFFSET);
        if (in.getInt(start + OWN_CHECKSUM_OFFSET) != checksum) {
            throw unfinished(
                    file,
                    "checksum of the trailer",
                    in.getInt(start + OWN_CHECKSUM_OFFSET),
                    "" + checksum);
        }
        final int version = in.getInt(start + VERSION_OFFSET);
        if (version != VERSION) {
            throw unfinished(file, "version", version, VERSION + ": use one version of Spillway");
        }
        final SharedOutputTrailer trailer =
                new SharedOutputTrailer(
                        in.getLong(start + DATA_LENGTH_OFFSET),
                        in.getInt(start + INDEX_LENGTH_OFFSET),
                        in.getInt(start + CHECKSUMS_LENGTH_OFFSET),
                        in.getInt(start + COUNTS_LENGTH_OFFSET),
                        in.getInt(start + NAME_LENGTH_OFFSET),
                        in.getInt(start + CHECKSUM_OFFSET));
        trailer.check(file, fileLength);
        return trailer;
    }

    private void check(final String file, final long fileLength) throws UnfinishedOutputException {
        final boolean isNegative =
                dataLength < 0
                        || indexLength < 0
                        || checksumsLength < 0
                        || countsLength < 0
                        || nameLength < 0;
        if (isNegative || tailLength() > MAX_TAIL_LENGTH) {
            throw unfinished(file, "lengths", tailLength(), "0 to " + MAX_TAIL_LENGTH);
        }
        if (dataLength != fileLength - tailLength()) {
            throw unfinished(file, "length", fileLength, "" + (dataLength + tailLength()));
        }
    }

    private static UnfinishedOutputException unfinished(
            final String file, final String field, final long value, final String expected) {
        return new UnfinishedOutputException(
                file
                        + " is not a finished map output: "
                        + field
                        + "="
                        + value
                        + ", expected "
                        + expected);
    }
}
