// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.Closeable;
import java.io.IOException;

/** Gives files for spills, and room in them. Thread-safe. */
public interface SpillFiles extends Closeable {
    /**
     * Opens a file for a spill.
     *
     * @param name the spill's name, unique while it lives
     * @param expectedBytes the likely length
     * @throws StoreFullException when there is no room for that much
     * @throws IOException when the directory is missing, not writable or failing; the message names
     *     it
     */
    SpillFile open(String name, long expectedBytes) throws IOException;

    /** Frees what is left. Idempotent. */
    @Override
    void close();
}
