package io.spillway.transport.ucx;

import io.spillway.transport.ServerStats;
import java.util.concurrent.atomic.AtomicLong;

/** What the server has sent; its thread counts, any thread reads. */
final class ServerCounters {
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    void answered(final int length) {
        requests.incrementAndGet();
        bytes.addAndGet(length);
    }

    void failed() {
        requests.incrementAndGet();
        failures.incrementAndGet();
    }

    /** With the connections of the tcp server, which accepts and refuses them. */
    ServerStats stats(final ServerStats connections) {
        return new ServerStats(
                connections.connections(),
                connections.accepted(),
                connections.refused(),
                requests.get(),
                failures.get(),
                bytes.get());
    }
}
