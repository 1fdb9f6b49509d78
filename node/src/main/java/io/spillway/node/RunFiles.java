// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.node.file.IndexPage;
import io.spillway.node.file.RunPages;
import io.spillway.node.file.RunPages.Part;
import io.spillway.transport.FetchException;
import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.util.EnumMap;
import java.util.Map;

/** The files that tell of one run of a map output: its index, and what lies beside. One thread. */
final class RunFiles {
    /** Opens a file of the map's user. */
    @FunctionalInterface
    interface Opener {
        RandomAccessFile open(File file) throws IOException;
    }

    private final Map<Part, File> files = new EnumMap<>(Part.class);
    private final int runs;
    private final long dataLength;
    private final Opener opener;

    /**
     * Creates the reader.
     *
     * @param index the index, which lies where the checksums and the account of records do
     * @param data the name of the data file
     * @param runs of how many runs the output is
     * @param dataLength the length of the data file, which every segment must lie in
     */
    RunFiles(
            final File index,
            final String data,
            final int runs,
            final long dataLength,
            final Opener opener) {
        final File folder = index.getParentFile();
        files.put(Part.INDEX, index);
        files.put(Part.CHECKSUMS, new File(folder, data + BlockChecksums.SUFFIX));
        files.put(Part.COUNTS, new File(folder, data + RecordCounts.SUFFIX));
        this.runs = runs;
        this.dataLength = dataLength;
        this.opener = opener;
    }

    private String path(final Part part) {
        return files.get(part).getPath();
    }

    /** The whole content of the files, checked by their checksums. */
    final class Whole {
        private final Map<Part, byte[]> bytes;
        private final int partitions;
        private final RunPages pages;

        private Whole(final Map<Part, byte[]> bytes, final int partitions, final RunPages pages) {
            this.bytes = bytes;
            this.partitions = partitions;
            this.pages = pages;
        }

        int partitions() {
            return partitions;
        }

        RunPages pages() {
            return pages;
        }

        IndexPage page(final int number) throws FetchException {
            try {
                return pages.read(number, slicing(bytes), path(Part.INDEX), dataLength);
            } catch (final IOException e) {
                throw MapOutputFiles.failure(files.get(Part.INDEX), e);
            }
        }
    }

    private static RunPages.Bytes slicing(final Map<Part, byte[]> bytes) {
        return (part, offset, length) ->
                ByteBuffer.wrap(bytes.get(part), Math.toIntExact(offset), length);
    }

    /** Reads all of the files, and checks all. */
    Whole readWhole() throws FetchException {
        final Map<Part, byte[]> bytes = new EnumMap<>(Part.class);
        Part part = Part.INDEX;
        try {
            bytes.put(part, readAll(part));
            final MapOutputIndex entries =
                    MapOutputIndex.readFrom(
                            ByteBuffer.wrap(bytes.get(part)), path(part), dataLength);
            part = Part.CHECKSUMS;
            final BlockChecksums blocks = isThere(part) ? readChecksums(bytes, entries) : null;
            part = Part.COUNTS;
            final boolean hasCounts = isThere(part);
            if (hasCounts) {
                readCounts(bytes, entries.partitions());
            }
            return new Whole(
                    bytes,
                    entries.partitions(),
                    new RunPages(entries, blocks, hasCounts, runs, slicing(bytes)));
        } catch (final IOException e) {
            throw MapOutputFiles.failure(files.get(part), e);
        }
    }

    private boolean isThere(final Part part) {
        return Files.exists(files.get(part).toPath(), LinkOption.NOFOLLOW_LINKS);
    }

    private BlockChecksums readChecksums(
            final Map<Part, byte[]> bytes, final MapOutputIndex entries) throws IOException {
        final byte[] read = readAll(Part.CHECKSUMS);
        bytes.put(Part.CHECKSUMS, read);
        return BlockChecksums.readFrom(read, path(Part.CHECKSUMS), entries, runs);
    }

    private void readCounts(final Map<Part, byte[]> bytes, final int partitions)
            throws IOException {
        final byte[] read = readAll(Part.COUNTS);
        bytes.put(Part.COUNTS, read);
        final RecordCounts unused =
                RecordCounts.readFrom(read, path(Part.COUNTS), partitions, runs);
    }

    private byte[] readAll(final Part part) throws IOException {
        try (RandomAccessFile in = opener.open(files.get(part))) {
            return MapOutputFiles.readAll(in, MapOutputFiles.MAX_INDEX_LENGTH);
        }
    }

    /** Reads one page, and checks it by what was read whole before. */
    IndexPage read(final RunPages pages, final int page) throws FetchException {
        try {
            return pages.read(page, this::readRange, path(Part.INDEX), dataLength);
        } catch (final IOException e) {
            throw MapOutputFiles.failure(files.get(Part.INDEX), e);
        }
    }

    private ByteBuffer readRange(final Part part, final long offset, final int length)
            throws IOException {
        try (RandomAccessFile in = opener.open(files.get(part))) {
            final byte[] bytes = new byte[length];
            in.seek(offset);
            in.readFully(bytes);
            return ByteBuffer.wrap(bytes);
        }
    }
}
