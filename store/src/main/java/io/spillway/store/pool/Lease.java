// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.SpillFiles;
import java.io.IOException;

/** The files of one task attempt in a node's folder, until it closes them or ends. Thread-safe. */
public interface Lease extends SpillFiles {
    /**
     * Keeps the attempt's files after the end of its process: the files that are open now stay in
     * place until the job ends.
     *
     * @throws IOException when the mark cannot be set
     */
    void commit() throws IOException;
}
