// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.SpillFiles;
import java.io.IOException;

/**
 * The files that one task attempt has in a node's folder, until it closes them or ends.
 * Thread-safe.
 */
public interface Lease extends SpillFiles {
    /**
     * Marks the attempt's files as worth keeping when its process has ended: those open now stay
     * where they are until the job ends.
     *
     * @throws IOException when the mark cannot be set
     */
    void commit() throws IOException;
}
