// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.MapOutputRuns;
import io.spillway.transport.MapOutputPlaces;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * A finished map output on a node's local disk, or what tells there where it is.
 *
 * @param node whose
 * @param attempt which made it
 * @param folder it lies in
 */
record MapOutput(int node, String attempt, Path folder) {
    private static final String INDEX = "file.out.index";

    /** All outputs of a job on a node, by the file that a map writes last. */
    static List<MapOutput> find(final Path nodeFolder, final int node, final String jobId) {
        return findBelow(nodeFolder.resolve("local"), node, jobId);
    }

    /** The same below one of a node's local directories. */
    static List<MapOutput> findBelow(final Path local, final int node, final String jobId) {
        final Path outputs =
                local.resolve("usercache")
                        .resolve(System.getProperty("user.name"))
                        .resolve("appcache")
                        .resolve(jobId.replaceFirst("^job_", "application_"))
                        .resolve("output");
        if (!Files.isDirectory(outputs)) {
            return List.of();
        }
        try (Stream<Path> attempts = Files.list(outputs)) {
            return attempts.filter(
                            attempt ->
                                    Files.exists(attempt.resolve(INDEX))
                                            || Files.exists(attempt.resolve(MapOutputRuns.FILE))
                                            || Files.exists(attempt.resolve(MapOutputPlaces.FILE)))
                    .map(path -> new MapOutput(node, path.getFileName().toString(), path))
                    .toList();
        } catch (final IOException e) {
            throw new AssertionError("cannot list " + outputs, e);
        }
    }

    /** Whether it is in the memory of another node. */
    boolean isElsewhere() {
        return Files.exists(folder.resolve(MapOutputPlaces.FILE));
    }

    /** On how many other nodes it is. */
    int copies() {
        final Path file = folder.resolve(MapOutputPlaces.FILE);
        try {
            final ByteBuffer encoded = ByteBuffer.wrap(Files.readAllBytes(file));
            return MapOutputPlaces.readFrom(encoded, file.toString()).places().size();
        } catch (final IOException e) {
            throw new AssertionError("cannot read " + file, e);
        }
    }

    /** Whether it was left in several runs. */
    boolean isInRuns() {
        return Files.exists(folder.resolve(MapOutputRuns.FILE));
    }

    /** The data, or those of the first run. */
    Path data() {
        return folder.resolve(isInRuns() ? MapOutputRuns.dataFile(0) : "file.out");
    }

    Path index() {
        return folder.resolve(INDEX);
    }

    /**
     * The written bytes of the output, file by file. A file in memory may be longer, with bytes of
     * a former job.
     */
    List<byte[]> stored() throws IOException {
        final List<byte[]> stored = new ArrayList<>();
        try (DirectoryStream<Path> indexes = Files.newDirectoryStream(folder, "*.index")) {
            for (final Path index : indexes) {
                final String name = index.getFileName().toString();
                final Path data = folder.resolve(name.substring(0, name.lastIndexOf('.')));
                stored.add(Arrays.copyOf(Files.readAllBytes(data), (int) length(index)));
            }
        }
        return stored;
    }

    private static long length(final Path index) throws IOException {
        final MapOutputIndex entries = read(index);
        final IndexEntry last = entries.get(entries.partitions() - 1);
        return last.startOffset() + last.partLength();
    }

    private static MapOutputIndex read(final Path index) throws IOException {
        return MapOutputIndex.readFrom(
                ByteBuffer.wrap(Files.readAllBytes(index)),
                index.toString(),
                MapOutputIndex.UNKNOWN_FILE_LENGTH);
    }

    /** Flips one bit at a fraction of each segment of the output, or of its first run. */
    void flipBitOfEverySegment(final double fraction) throws IOException {
        final Path index = isInRuns() ? folder.resolve(MapOutputRuns.indexFile(0)) : index();
        final MapOutputIndex entries = read(index);
        for (int partition = 0; partition < entries.partitions(); partition++) {
            final IndexEntry entry = entries.get(partition);
            flipBit(entry.startOffset() + (long) (entry.partLength() * fraction));
        }
    }

    private void flipBit(final long position) throws IOException {
        try (FileChannel file =
                FileChannel.open(data(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer one = ByteBuffer.allocate(1);
            file.read(one, position);
            one.put(0, (byte) (one.get(0) ^ 0x10));
            file.write(one.flip(), position);
        }
    }

    /** Cuts the file to half of its length. */
    void truncate() throws IOException {
        try (FileChannel file = FileChannel.open(data(), StandardOpenOption.WRITE)) {
            file.truncate(file.size() / 2);
        }
    }
}
