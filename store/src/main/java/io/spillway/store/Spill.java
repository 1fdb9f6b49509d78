// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Optional;

/** A complete spill. Its bytes do not change; several threads may read it. */
public interface Spill {
    /** The name of the store that holds it, such as {@code memory}. */
    String store();

    /** Its length in bytes. */
    long length();

    /**
     * Opens a range; the caller closes the stream.
     *
     * @throws IndexOutOfBoundsException when the range is not inside the spill
     * @throws IOException when the store fails
     */
    InputStream open(long offset, long length) throws IOException;

    /** The file that is exactly this spill, where there is one: it can be renamed. */
    Optional<Path> file();

    /**
     * The file whose first {@link #length} bytes are this spill, where there is one that others may
     * open; beyond them it holds anything.
     */
    default Optional<Path> holder() {
        return file();
    }

    /**
     * Ends the spill with what its readers look for behind it, and keeps it, where its store is one
     * that they read by themselves; elsewhere nothing.
     *
     * @throws IOException when the store does not take it; the spill can still be read
     */
    default void seal(final SpillFile.Tail tail) throws IOException {}

    /** Frees its room. Idempotent; streams open on it are of no use any more. */
    void delete();
}
