package io.spillway.ifile;

import java.util.Arrays;
import java.util.zip.CRC32C;

/** Makes {@link BlockChecksums} of segments whose bytes pass in order. One thread. */
final class BlockChecksumsBuilder {
    private static final int FIRST_CAPACITY = 64;

    private final int blockLength;
    private final CRC32C crc = new CRC32C();
    private int[] checksums = new int[FIRST_CAPACITY];
    private int count;
    private int[] firsts = new int[FIRST_CAPACITY];
    private int segments;

    /** The bytes that have passed of the block. */
    private int filled;

    private boolean full;

    /**
     * Creates a builder.
     *
     * @throws IllegalArgumentException for a length that a block cannot have
     */
    BlockChecksumsBuilder(final int blockLength) {
        BlockChecksums.requireBlockLength(blockLength);
        this.blockLength = blockLength;
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
                endBlock();
            }
        }
    }

    private void endBlock() {
        full |= count == BlockChecksums.MAX_COUNT;
        if (!full) {
            if (count == checksums.length) {
                checksums = Arrays.copyOf(checksums, 2 * count);
            }
            checksums[count++] = (int) crc.getValue();
        }
        crc.reset();
        filled = 0;
    }

    /** All bytes of the segment have passed. */
    void endSegment() {
        if (filled > 0) {
            endBlock();
        }
        segments++;
        if (segments == firsts.length) {
            firsts = Arrays.copyOf(firsts, 2 * segments);
        }
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
