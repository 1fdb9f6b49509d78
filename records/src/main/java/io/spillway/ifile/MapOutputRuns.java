// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * A map output that was left as several sorted runs, its spills: the file that says how many, and
 * the names of the others. Each run has a data file and an index like a map output of its own.
 * There is no {@code file.out} then, so that a stock handler fails instead of serving a part.
 * Immutable.
 *
 * @param count of runs
 */
public record MapOutputRuns(int count) {
    /** The name of the file; what a map writes last. */
    public static final String FILE = "file.out.runs";

    /** {@code SPWRUNS1}: what the file begins with. */
    public static final long MAGIC = 0x53505752554E5331L;

    /** Offset of {@link #MAGIC}. */
    public static final int MAGIC_OFFSET = 0;

    /** Offset of the number of runs. */
    public static final int COUNT_OFFSET = MAGIC_OFFSET + Long.BYTES;

    /** The length of the file. */
    public static final int LENGTH = COUNT_OFFSET + Integer.BYTES;

    /** The most runs of one map output. */
    public static final int MAX_COUNT = 1024;

    private static final String DATA_PREFIX = "file.out.run";
    private static final String INDEX_SUFFIX = ".index";

    /** Checks the count. */
    public MapOutputRuns {
        Objects.checkIndex(count - 1, MAX_COUNT);
    }

    /** The name of a run's data file. */
    public static String dataFile(final int run) {
        return DATA_PREFIX + run;
    }

    /** The name of a run's index. */
    public static String indexFile(final int run) {
        return dataFile(run) + INDEX_SUFFIX;
    }

    /** Writes the file. */
    public void writeTo(final OutputStream out) throws IOException {
        final ByteBuffer encoded = ByteBuffer.allocate(LENGTH);
        encoded.putLong(MAGIC_OFFSET, MAGIC).putInt(COUNT_OFFSET, count);
        out.write(encoded.array());
    }

    /**
     * Reads the file.
     *
     * @param encoded all of it
     * @param name the file's name, for messages
     * @throws IOException when it is not such a file
     */
    public static MapOutputRuns readFrom(final ByteBuffer encoded, final String name)
            throws IOException {
        if (encoded.remaining() != LENGTH) {
            throw new IOException(
                    "Corrupt " + name + ": length=" + encoded.remaining() + ", expected " + LENGTH);
        }
        final long magic = encoded.getLong();
        final int count = encoded.getInt();
        if (magic != MAGIC || count < 1 || count > MAX_COUNT) {
            throw new IOException(
                    "Corrupt "
                            + name
                            + ": magic="
                            + Long.toHexString(magic)
                            + " count="
                            + count
                            + ", expected "
                            + Long.toHexString(MAGIC)
                            + " and 1 to "
                            + MAX_COUNT);
        }
        return new MapOutputRuns(count);
    }
}
