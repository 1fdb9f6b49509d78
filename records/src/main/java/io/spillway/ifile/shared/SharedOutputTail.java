// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/**
 * What follows the segments in a map output on a shared file system: what lies in {@code
 * file.out.index} and the files beside it elsewhere, the output's name, and the trailer. Immutable.
 *
 * @param output the output's id
 * @param dataLength the bytes of all segments
 * @param index where the segments lie
 * @param checksums those of their blocks; null where there are too many
 * @param counts their records
 */
public record SharedOutputTail(
        String output,
        long dataLength,
        MapOutputIndex index,
        BlockChecksums checksums,
        RecordCounts counts) {
    /** The output is one run. */
    private static final int RUNS = 1;

    /** Checks the arguments. */
    public SharedOutputTail {
        Objects.requireNonNull(output, "output");
        Objects.requireNonNull(index, "index");
        Objects.requireNonNull(counts, "counts");
    }

    /**
     * The bytes to append to the segments, the last of the file.
     *
     * @throws IOException where they are more than a reader takes
     */
    public byte[] encoded() throws IOException {
        final ByteArrayOutputStream tail = new ByteArrayOutputStream();
        index.writeTo(tail);
        final int indexEnd = tail.size();
        if (checksums != null) {
            checksums.writeTo(tail, RUNS);
        }
        final int checksumsEnd = tail.size();
        counts.writeTo(tail, RUNS);
        final int countsEnd = tail.size();
        tail.writeBytes(output.getBytes(StandardCharsets.UTF_8));
        final int end = tail.size();
        if (end > SharedOutputTrailer.MAX_TAIL_LENGTH - SharedOutputTrailer.LENGTH) {
            throw new IOException(
                    output
                            + ": index and checksums="
                            + end
                            + " bytes, expected less than "
                            + SharedOutputTrailer.MAX_TAIL_LENGTH);
        }
        final ByteBuffer all = ByteBuffer.allocate(end + SharedOutputTrailer.LENGTH);
        all.put(tail.toByteArray());
        new SharedOutputTrailer(
                        dataLength,
                        indexEnd,
                        checksumsEnd - indexEnd,
                        countsEnd - checksumsEnd,
                        end - countsEnd,
                        SharedOutputTrailer.checksumOf(all, 0, end))
                .writeTo(all);
        return all.array();
    }

    /**
     * Reads a tail and checks all of it.
     *
     * @param in the tail with its trailer, from its position to its limit; consumed
     * @param file its name, for messages
     * @param output the id that it must have
     */
    static SharedOutputTail readFrom(
            final ByteBuffer in,
            final SharedOutputTrailer trailer,
            final String file,
            final String output)
            throws IOException {
        final int length = in.remaining() - SharedOutputTrailer.LENGTH;
        final int checksum = SharedOutputTrailer.checksumOf(in, in.position(), length);
        if (checksum != trailer.checksum()) {
            throw corrupt(file, "checksum=" + trailer.checksum(), "" + checksum);
        }
        final MapOutputIndex index =
                MapOutputIndex.readFrom(
                        ByteBuffer.wrap(next(in, trailer.indexLength())),
                        file,
                        trailer.dataLength());
        final byte[] sums = next(in, trailer.checksumsLength());
        final BlockChecksums checksums =
                sums.length == 0 ? null : BlockChecksums.readFrom(sums, file, index, RUNS);
        final RecordCounts counts =
                RecordCounts.readFrom(
                        next(in, trailer.countsLength()), file, index.partitions(), RUNS);
        final String name = new String(next(in, trailer.nameLength()), StandardCharsets.UTF_8);
        if (!name.equals(output)) {
            throw corrupt(file, "output=" + name, output);
        }
        return new SharedOutputTail(name, trailer.dataLength(), index, checksums, counts);
    }

    private static byte[] next(final ByteBuffer in, final int length) {
        final byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static IOException corrupt(
            final String file, final String found, final String expected) {
        return new IOException("Corrupt tail of " + file + ": " + found + ", expected " + expected);
    }

    /** The bytes of memory that it takes, about. */
    public long memory() {
        return MapOutputIndex.encodedLength(index.partitions())
                + counts.memory()
                + (checksums == null ? 0 : checksums.memory());
    }
}
