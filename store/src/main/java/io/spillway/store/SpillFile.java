// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A file that holds one spill, of a {@link SpillFiles}. Reads may come from several threads, all
 * else from one at a time.
 */
public interface SpillFile extends Closeable {
    /**
     * Open for reading and writing. Its position belongs to the thread that holds its monitor. An
     * interrupt of the thread closes a channel, but not this.
     */
    RandomAccessFile data();

    /**
     * Asks for room before writing beyond what was asked for so far.
     *
     * @param length the length that the spill is about to have, in bytes
     * @throws StoreFullException when the file must not become that long
     */
    void reserve(long length) throws IOException;

    /**
     * Ends the writing: what was granted beyond {@code length} is given back.
     *
     * @param length of the spill, in bytes
     * @throws IOException when the file is gone or cannot be changed; it can still be read
     */
    void complete(long length) throws IOException;

    /**
     * Ends a complete spill with what its readers look for at the end of the file, and keeps it;
     * nothing where readers look elsewhere.
     *
     * @param length of the spill, in bytes
     * @param tail what follows it
     * @throws IOException when the file does not take it; the spill can still be read
     */
    default void seal(final long length, final Tail tail) throws IOException {}

    /** What follows a spill in its file. */
    @FunctionalInterface
    interface Tail {
        /** Its bytes. */
        byte[] encoded() throws IOException;
    }

    /**
     * Where others find the file; nothing where it has no name. It may be longer than the spill.
     */
    Optional<Path> path();

    /** Gives the file up. Idempotent. */
    @Override
    void close();
}
