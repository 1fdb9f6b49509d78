// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import io.spillway.transport.FetchException;
import io.spillway.transport.ServedSegment;
import java.io.Closeable;
import java.io.IOException;

/** Outputs on a file system that this host shares with those of their maps. Thread-safe. */
public interface OutputDirectory {
    /**
     * Opens an output, and checks that it is this one, whole, and put there by one who may. Blocks.
     *
     * @param host of the map, as the framework names it
     * @return null where it does not lie in the directory
     * @throws IOException where that cannot be told, or the output is not what it should be
     */
    OpenOutput open(String jobId, String host, String output) throws IOException;

    /** The code of the tier whose outputs lie here, as nodes name it in their answers. */
    int tier();

    /** An open output; used by one thread at a time. */
    interface OpenOutput extends Closeable {
        /**
         * One of its segments, which reads from the open output.
         *
         * @throws FetchException with {@code OUT_OF_RANGE} where it has no such partition or run
         */
        ServedSegment segment(int partition, int run) throws FetchException;

        /** Where a segment of it begins in the file, in bytes. */
        long position(int partition);
    }
}
