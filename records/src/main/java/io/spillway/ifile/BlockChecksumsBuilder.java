// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import io.spillway.checksum.Crc32cMath;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Makes {@link BlockChecksums} of segments whose bytes pass in order. Where there would be more
 * checksums than a file may have, blocks become twice as long: the checksums of neighbours are
 * combined, which needs none of their bytes. One thread.
 */
final class BlockChecksumsBuilder {
    private static final int FIRST_CAPACITY = 64;

    private final int mostBlocks;
    private final CRC32C crc = new CRC32C();
    private int blockLength;
    private int[] checksums = new int[FIRST_CAPACITY];
    private int count;
    private int[] firsts = new int[FIRST_CAPACITY];

    /** The bytes of the last block of each segment. */
    private int[] tails = new int[FIRST_CAPACITY];

    private int segments;

    /** The bytes that have passed of the block. */
    private int filled;

    /** So many of these are not in {@link #crc}, but have this checksum. */
    private int carried;

    private int carriedChecksum;
    private boolean full;

    /**
     * Creates a builder.
     *
     * @throws IllegalArgumentException for a length that a block cannot have
     */
    BlockChecksumsBuilder(final int blockLength) {
        this(blockLength, BlockChecksums.MAX_COUNT);
    }

    BlockChecksumsBuilder(final int blockLength, final int mostBlocks) {
        BlockChecksums.requireBlockLength(blockLength);
        this.blockLength = blockLength;
        this.mostBlocks = mostBlocks;
    }

    /** Passes the next bytes of a segment. */
    void update(final byte[] bytes, final int offset, final int length) {
        int at = offset;
        int left = length;
        while (left > 0) {
            final int piece = Math.min(left, blockLength - filled);
            crc.update(bytes, at, piece);
            filled += piece;
            at += piece;
            left -= piece;
            if (filled == blockLength) {
                makeRoom();
            }
            if (filled == blockLength) {
                endBlock();
            }
        }
    }

    /** Afterwards the block may be longer, and then it is not full any more. */
    private void makeRoom() {
        while (count >= mostBlocks && !full) {
            if (blockLength == BlockChecksums.MAX_BLOCK_LENGTH) {
                full = true;
            } else {
                doubleBlocks();
            }
        }
    }

    private void doubleBlocks() {
        int made = 0;
        for (int segment = 0; segment < segments; segment++) {
            final int first = made;
            made = joinPairs(firsts[segment], firsts[segment + 1], tails[segment], made);
            if ((firsts[segment + 1] - firsts[segment]) % 2 == 0) {
                tails[segment] += blockLength;
            }
            firsts[segment] = first;
        }
        final int whole = (count - firsts[segments]) / 2 * 2;
        final boolean isOdd = count > firsts[segments] + whole;
        if (isOdd) {
            carriedChecksum = Crc32cMath.combine(checksums[count - 1], carriedChecksum, carried);
            carried += blockLength;
            filled += blockLength;
        }
        final int first = made;
        made = joinPairs(firsts[segments], firsts[segments] + whole, blockLength, made);
        firsts[segments] = first;
        count = made;
        blockLength *= 2;
    }

    /** Combines a segment's blocks, of which the last has {@code tail} bytes; where to go on. */
    private int joinPairs(final int from, final int to, final int tail, final int target) {
        int at = target;
        for (int block = from; block < to; block += 2) {
            final int second = block + 1;
            checksums[at++] =
                    second == to
                            ? checksums[block]
                            : Crc32cMath.combine(
                                    checksums[block],
                                    checksums[second],
                                    second == to - 1 ? tail : blockLength);
        }
        return at;
    }

    private void endBlock() {
        if (!full) {
            if (count == checksums.length) {
                checksums = Arrays.copyOf(checksums, 2 * count);
            }
            checksums[count++] = checksum();
        }
        crc.reset();
        filled = 0;
        carried = 0;
        carriedChecksum = 0;
    }

    private int checksum() {
        final int rest = (int) crc.getValue();
        return carried == 0 ? rest : Crc32cMath.combine(carriedChecksum, rest, filled - carried);
    }

    /** All bytes of the segment have passed. */
    void endSegment() {
        int tail = blockLength;
        if (filled > 0) {
            makeRoom();
            tail = filled;
            endBlock();
        }
        if (segments + 1 == firsts.length) {
            firsts = Arrays.copyOf(firsts, 2 * firsts.length);
            tails = Arrays.copyOf(tails, 2 * tails.length);
        }
        tails[segments++] = tail;
        firsts[segments] = count;
    }

    /** The checksums of all segments that have ended; null where there are too many for a file. */
    BlockChecksums build() {
        return full
                ? null
                : new BlockChecksums(
                        blockLength,
                        Arrays.copyOf(firsts, segments + 1),
                        Arrays.copyOf(checksums, count));
    }
}
