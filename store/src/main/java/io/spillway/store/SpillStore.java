// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.Closeable;
import java.io.IOException;

/** A place for spills. Thread-safe, unless an implementation says otherwise. */
public interface SpillStore extends Closeable {
    /** The name that settings and reports use, such as {@code memory}. */
    String name();

    /**
     * Begins a spill.
     *
     * @param name the spill's name, unique in the store while the spill lives
     * @param expectedBytes the likely length; it may become more or less
     * @throws StoreFullException when there is no room for that much
     * @throws IOException when the store fails
     */
    SpillSink create(String name, long expectedBytes) throws IOException;

    /** Frees what the store holds; spills not deleted yet are of no use any more. Idempotent. */
    @Override
    void close();
}
