// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.store.SpillStore;
import java.io.IOException;

/** Where runs go that leave memory. */
public interface RunStores {
    /** Opens the store; closing it gives back what it has taken of the node. */
    SpillStore open() throws IOException;

    /** Whether a tier of that store is local disk. */
    boolean isDisk(String tier);
}
