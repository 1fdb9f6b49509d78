// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import io.spillway.engine.spi.RemoteOutput;
import java.util.Optional;

/** Finds other nodes for the output of one map task. One thread at a time. */
@FunctionalInterface
public interface OutputPlacer extends AutoCloseable {
    /** Keeps every output on its map's host. */
    OutputPlacer HERE = (output, expectedBytes) -> Optional.empty();

    /**
     * Finds nodes that take an output, and connects to them. Where that fails the output stays
     * here: it logs why, and does not throw.
     *
     * @param output the name under which reducers will ask for it: the map attempt's id
     * @param expectedBytes the expected length of the output
     * @return the nodes, the caller's to close; nothing where the output is to stay here
     */
    Optional<RemoteOutput> place(String output, long expectedBytes);

    /** For how many outputs it was to find nodes, and has found none. */
    default long refused() {
        return 0;
    }

    /** Frees what it holds. Idempotent. */
    @Override
    default void close() {}
}
