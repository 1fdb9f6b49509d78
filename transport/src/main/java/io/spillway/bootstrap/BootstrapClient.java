// SPDX-License-Identifier: Apache-2.0
package io.spillway.bootstrap;

import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;

/** Opens connections that stand beside another path to the same node. Thread-safe. */
public interface BootstrapClient extends AutoCloseable {
    /**
     * Connects, and proves both sides.
     *
     * @throws FetchException when the node cannot be reached, refuses, or cannot prove itself;
     *     after the time that is set for connecting at most
     */
    ControlConnection open(NodeAddress address, JobCredentials credentials) throws FetchException;

    /** Ends all connections. Idempotent. */
    @Override
    void close();
}
