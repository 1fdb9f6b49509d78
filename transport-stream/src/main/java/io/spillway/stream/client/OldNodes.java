// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.spillway.transport.NodeAddress;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The nodes that have proved themselves in version 12 and in none later. Thread-safe. */
final class OldNodes {
    private static final long REMEMBERED_NANOS = TimeUnit.MINUTES.toNanos(10);

    /** More nodes than clusters have: beyond them, all are asked anew. */
    private static final int MAX_NODES = 1 << 16;

    // Guarded by this object.
    private final Map<NodeAddress, Long> since = new HashMap<>();

    synchronized void add(final NodeAddress address) {
        if (since.size() == MAX_NODES) {
            since.clear();
        }
        since.put(address, System.nanoTime());
    }

    synchronized boolean contains(final NodeAddress address) {
        final Long added = since.get(address);
        return added != null && System.nanoTime() - added < REMEMBERED_NANOS;
    }

    synchronized void remove(final NodeAddress address) {
        since.remove(address);
    }
}
