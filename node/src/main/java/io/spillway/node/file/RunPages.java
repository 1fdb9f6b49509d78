// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.file;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * The index of one run of a map output, with what lies beside it, as pages of {@value #PARTITIONS}
 * segments: by a page, a node answers for a segment without the other hundred thousand. Immutable.
 *
 * <p>Each of the files has one checksum, of all its bytes. So they are read whole once, and checked
 * by it. Of that reading the checksums of the pages stay; they verify a page that is read again.
 */
public final class RunPages {
    /**
     * The most segments of a page: 32 KiB and more. Reducers start in the order of their numbers,
     * so those that run at a time share pages. An output of no more reducers has one page.
     */
    public static final int PARTITIONS = 1024;

    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0).asReadOnlyBuffer();

    /** The files that tell of a run. */
    public enum Part {
        /** Where segments lie. */
        INDEX,
        /** The checksums of blocks. */
        CHECKSUMS,
        /** The account of records. */
        COUNTS
    }

    /** Gives bytes of the files. */
    @FunctionalInterface
    public interface Bytes {
        /** A range; all of it, or it fails. */
        ByteBuffer read(Part part, long offset, int length) throws IOException;
    }

    private final int partitions;
    private final int runs;
    private final int blockLength;
    private final boolean hasCounts;

    /** The number of the first block of each page, and that of all blocks; null without blocks. */
    private final int[] firstBlocks;

    private final int[] checksums;

    /**
     * Takes the checksums of pages.
     *
     * @param index of all partitions, checked
     * @param blocks the checksums of all blocks, checked; or null
     * @param hasCounts whether there is an account of records
     * @param runs of how many runs the output is
     * @param bytes the same files
     */
    public RunPages(
            final MapOutputIndex index,
            final BlockChecksums blocks,
            final boolean hasCounts,
            final int runs,
            final Bytes bytes)
            throws IOException {
        this.partitions = index.partitions();
        this.runs = runs;
        this.blockLength = blocks == null ? 0 : blocks.blockLength();
        this.hasCounts = hasCounts;
        this.firstBlocks = blocks == null ? null : firstBlocks(blocks);
        this.checksums = new int[count()];
        for (int page = 0; page < checksums.length; page++) {
            checksums[page] = new Content(page, bytes).checksum();
        }
    }

    private int[] firstBlocks(final BlockChecksums blocks) {
        final int[] firsts = new int[count() + 1];
        for (int page = 0; page < firsts.length; page++) {
            firsts[page] = blocks.firstBlock(Math.min(partitions, page * PARTITIONS));
        }
        return firsts;
    }

    /** The number of pages. */
    public int count() {
        return (partitions + PARTITIONS - 1) / PARTITIONS;
    }

    /** The page of a partition, which may be beyond the last one. */
    public static int pageOf(final int partition) {
        return partition / PARTITIONS;
    }

    /** The bytes of memory that this takes. */
    public long memory() {
        return (long) checksums.length * Integer.BYTES * (firstBlocks == null ? 1 : 2);
    }

    /** The bytes of a page. */
    private final class Content {
        private final int first;
        private final ByteBuffer entries;
        private final ByteBuffer blocks;
        private final ByteBuffer counts;

        Content(final int page, final Bytes bytes) throws IOException {
            first = page * PARTITIONS;
            final int size = Math.min(PARTITIONS, partitions - first);
            entries =
                    bytes.read(
                            Part.INDEX,
                            (long) first * MapOutputIndex.ENTRY_LENGTH,
                            size * MapOutputIndex.ENTRY_LENGTH);
            blocks = firstBlocks == null ? NOTHING : blocksOf(page, bytes);
            counts =
                    hasCounts
                            ? bytes.read(
                                    Part.COUNTS,
                                    RecordCounts.COUNTS_OFFSET + (long) first * Integer.BYTES,
                                    size * Integer.BYTES)
                            : NOTHING;
        }

        private ByteBuffer blocksOf(final int page, final Bytes bytes) throws IOException {
            return bytes.read(
                    Part.CHECKSUMS,
                    BlockChecksums.CHECKSUMS_OFFSET + (long) firstBlocks[page] * Integer.BYTES,
                    (firstBlocks[page + 1] - firstBlocks[page]) * Integer.BYTES);
        }

        int checksum() {
            final CRC32C crc = new CRC32C();
            crc.update(entries.duplicate());
            crc.update(blocks.duplicate());
            crc.update(counts.duplicate());
            return (int) crc.getValue();
        }

        IndexPage decode(final String name, final long dataLength) throws IOException {
            final MapOutputIndex index = MapOutputIndex.readPart(entries, first, name, dataLength);
            return new IndexPage(
                    first,
                    partitions,
                    runs,
                    index,
                    firstBlocks == null
                            ? null
                            : BlockChecksums.readPart(blocks, blockLength, index, name),
                    hasCounts ? RecordCounts.readPart(counts) : RecordCounts.NONE);
        }
    }

    /**
     * Reads a page and checks it.
     *
     * @param page 0 to {@link #count} - 1
     * @param name of the index, for messages
     * @param dataLength the length of the data file, which every segment must lie in
     * @throws IOException where it is not as it was when the files were read whole
     */
    public IndexPage read(
            final int page, final Bytes bytes, final String name, final long dataLength)
            throws IOException {
        final Content content = new Content(page, bytes);
        if (content.checksum() != checksums[page]) {
            throw new IOException(
                    String.format(
                            "%s: CRC32C=%08x of the entries from partition %d on, expected %08x as"
                                    + " of the whole file before",
                            name, content.checksum(), content.first, checksums[page]));
        }
        return content.decode(name, dataLength);
    }
}
