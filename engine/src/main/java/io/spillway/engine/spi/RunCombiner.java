// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.ifile.RecordCursor;
import java.io.IOException;

/** The job's combiner. One thread at a time. */
@FunctionalInterface
public interface RunCombiner {
    /** The sorted records that it combines. */
    @FunctionalInterface
    interface Records {
        /** The next record, valid until the following call; null at the end. */
        RecordCursor next() throws IOException;
    }

    /** Where the records go that it makes, in its order. */
    @FunctionalInterface
    interface Sink {
        /** Takes one record; its bytes are valid until this returns. */
        void append(
                byte[] key,
                int keyOffset,
                int keyLength,
                byte[] value,
                int valueOffset,
                int valueLength)
                throws IOException;
    }

    /** Creates the combiner when it is needed. Used by one thread, but {@link #exists}. */
    interface Source {
        /** Whether the job has a combiner that can run here. */
        boolean exists();

        /** The combiner, always the same. Only where it {@link #exists}. */
        RunCombiner get() throws IOException, ClassNotFoundException;
    }

    /**
     * Remembers what was counted of records so far.
     *
     * @return takes that count back to where it was, once what was combined since is thrown away
     *     and will be combined again
     */
    default Runnable mark() {
        return () -> {};
    }

    /** Combines all records. */
    void combine(Records records, Sink sink)
            throws IOException, InterruptedException, ClassNotFoundException;
}
