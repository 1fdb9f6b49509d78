// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import io.spillway.checksum.Crc32cMath;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;

/**
 * The checksums of the blocks of a map output or of one of its runs, which its map writes beside
 * the index: a CRC32C for each block of each segment, the segment's own checksum included. Blocks
 * begin where their segment begins; a segment's last block may be short. Immutable.
 *
 * <p>The file: {@link #MAGIC}, the length of a block, the number of the output's runs, the number
 * of checksums, the checksums segment after segment, and the CRC32C of all that. All numbers are
 * big-endian; all but the magic have four bytes.
 */
public final class BlockChecksums {
    /** What the file's name adds to that of the data file. */
    public static final String SUFFIX = ".sums";

    /** {@code SPWSUMS1}: what the file begins with. */
    public static final long MAGIC = 0x53505753554D5331L;

    /** Offset of {@link #MAGIC}. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the length of a block in bytes: a power of two. */
    public static final int BLOCK_LENGTH_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** Offset of the number of runs of the map output. */
    public static final int RUNS_OFFSET = BLOCK_LENGTH_OFFSET + Integer.BYTES;

    /** Offset of the number of checksums. */
    public static final int COUNT_OFFSET = RUNS_OFFSET + Integer.BYTES;

    /** Offset of the first checksum. */
    public static final int CHECKSUMS_OFFSET = COUNT_OFFSET + Integer.BYTES;

    /** The shortest block, in bytes. */
    public static final int MIN_BLOCK_LENGTH = 1 << 10;

    /** The longest block, in bytes. */
    public static final int MAX_BLOCK_LENGTH = 1 << 20;

    /**
     * The most checksums of one file. The blocks of a longer output are longer; one whose blocks
     * would be longer than {@link #MAX_BLOCK_LENGTH} has no checksums.
     */
    public static final int MAX_COUNT = 2 << 20;

    /** The longest file, in bytes. */
    public static final int MAX_LENGTH = CHECKSUMS_OFFSET + (MAX_COUNT + 1) * Integer.BYTES;

    /** Says that a piece has no checksum. */
    public static final long NONE = -1;

    private final int blockLength;
    private final int shift;

    /** The number of the first block of each segment, and that of all blocks. */
    private final int[] firsts;

    private final int[] checksums;

    BlockChecksums(final int blockLength, final int[] firsts, final int[] checksums) {
        this.blockLength = blockLength;
        this.shift = Crc32cMath.shift(blockLength);
        this.firsts = firsts;
        this.checksums = checksums;
    }

    static void requireBlockLength(final int blockLength) {
        if (!isBlockLength(blockLength)) {
            throw new IllegalArgumentException(
                    "blockLength=" + blockLength + ", expected " + expectedBlockLength());
        }
    }

    private static boolean isBlockLength(final int length) {
        return Integer.bitCount(length) == 1
                && length >= MIN_BLOCK_LENGTH
                && length <= MAX_BLOCK_LENGTH;
    }

    private static String expectedBlockLength() {
        return "a power of two from " + MIN_BLOCK_LENGTH + " to " + MAX_BLOCK_LENGTH;
    }

    /** The bytes of a block. */
    public int blockLength() {
        return blockLength;
    }

    /** The number of the first block of a segment; for the number of segments, that of blocks. */
    public int firstBlock(final int partition) {
        return firsts[partition];
    }

    /** The checksums of all blocks. */
    public int count() {
        return checksums.length;
    }

    /** The bytes of memory that they take. */
    public long memory() {
        return (long) (firsts.length + checksums.length) * Integer.BYTES;
    }

    /**
     * The CRC32C of a piece of a segment, made of those of its blocks.
     *
     * @param partition the segment
     * @param partLength the segment's length, its checksum included
     * @param offset where the piece begins in the segment
     * @param length of the piece; it lies within the segment
     * @return an unsigned number of 32 bits; {@link #NONE} for a piece that is not of whole blocks
     */
    public long of(
            final int partition, final long partLength, final long offset, final int length) {
        final long end = offset + length;
        final boolean isWhole =
                offset % blockLength == 0 && (end % blockLength == 0 || end == partLength);
        if (!isWhole || length < 1 || end > partLength) {
            return NONE;
        }
        int block = firsts[partition] + (int) (offset / blockLength);
        int checksum = checksums[block++];
        int left = length - blockLength;
        for (; left >= blockLength; left -= blockLength) {
            checksum = Crc32cMath.append(checksum, checksums[block++], shift);
        }
        if (left > 0) {
            checksum = Crc32cMath.combine(checksum, checksums[block], left);
        }
        return Integer.toUnsignedLong(checksum);
    }

    /** The CRC32C of a whole segment of this length, its checksum included. */
    public int ofSegment(final int partition, final long partLength) {
        int checksum = 0;
        long left = partLength;
        for (int block = firsts[partition]; block < firsts[partition + 1]; block++) {
            final long length = Math.min(left, blockLength);
            checksum = Crc32cMath.combine(checksum, checksums[block], length);
            left -= length;
        }
        return checksum;
    }

    /**
     * Writes the file; does not close {@code out}.
     *
     * @param runs of how many runs the map output is
     */
    public void writeTo(final OutputStream out, final int runs) throws IOException {
        final int[] header = {blockLength, runs, checksums.length};
        SealedFile.write(out, MAGIC, header, checksums);
    }

    /**
     * Reads a file and checks all of it.
     *
     * @param encoded the whole file
     * @param name the file's name, for messages
     * @param index of the same data file
     * @param runs of how many runs the map output is
     * @throws IOException when it is damaged, or belongs to another output
     */
    public static BlockChecksums readFrom(
            final byte[] encoded, final String name, final MapOutputIndex index, final int runs)
            throws IOException {
        final SealedFile file = fileOf(name);
        final ByteBuffer in = file.check(encoded, MAGIC, CHECKSUMS_OFFSET);
        final int blockLength = in.getInt(BLOCK_LENGTH_OFFSET);
        if (!isBlockLength(blockLength)) {
            throw file.corrupt("blockLength", blockLength, expectedBlockLength());
        }
        file.require("runs", in.getInt(RUNS_OFFSET), runs);
        final int[] firsts = firsts(index, blockLength, name);
        final int[] checksums = new int[firsts[index.partitions()]];
        file.require("count", in.getInt(COUNT_OFFSET), checksums.length);
        file.require("end", in.limit(), CHECKSUMS_OFFSET + checksums.length * Integer.BYTES);
        in.position(CHECKSUMS_OFFSET).asIntBuffer().get(checksums);
        return new BlockChecksums(blockLength, firsts, checksums);
    }

    /**
     * Reads the checksums of some neighbouring segments of a file. Checks only that there are as
     * many as these segments have blocks: the file's checksum is one of all.
     *
     * @param encoded from its position to its limit; consumed
     * @param blockLength of the file
     * @param index of these segments
     * @param name the file's name, for messages
     */
    public static BlockChecksums readPart(
            final ByteBuffer encoded,
            final int blockLength,
            final MapOutputIndex index,
            final String name)
            throws IOException {
        final int[] firsts = firsts(index, blockLength, name);
        final int[] checksums = new int[firsts[index.partitions()]];
        if (encoded.remaining() != checksums.length * Integer.BYTES) {
            throw fileOf(name)
                    .corrupt("length", encoded.remaining(), "4 for each of " + checksums.length);
        }
        encoded.asIntBuffer().get(checksums);
        return new BlockChecksums(blockLength, firsts, checksums);
    }

    private static int[] firsts(
            final MapOutputIndex index, final int blockLength, final String name)
            throws IOException {
        final int[] firsts = new int[index.partitions() + 1];
        for (int partition = 0; partition < index.partitions(); partition++) {
            final long length = index.get(partition).partLength();
            final long blocks = length / blockLength + (length % blockLength == 0 ? 0 : 1);
            if (blocks > MAX_COUNT - firsts[partition]) {
                throw fileOf(name).corrupt("blocks", blocks, "at most " + MAX_COUNT + " in all");
            }
            firsts[partition + 1] = firsts[partition] + (int) blocks;
        }
        return firsts;
    }

    private static SealedFile fileOf(final String name) {
        return new SealedFile("block checksums " + name);
    }
}
