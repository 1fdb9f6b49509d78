// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import java.io.IOException;

/** Tells a node process's status. Thread-safe. */
public interface StatusSource {
    /** That of the process: one object of JSON. */
    String ofNode();

    /**
     * That of all nodes of its cluster: one object of JSON. May block for some seconds.
     *
     * @throws IOException where it cannot be had; the message says what to change
     * @throws IllegalArgumentException the same, where settings are to blame
     */
    String ofCluster() throws IOException;
}
