package io.spillway.transport.ucx;

import io.spillway.transport.ServerStats;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** What a server has done so far. Thread-safe. */
final class ServerCounters {
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong accepted = new AtomicLong();
    private final AtomicLong refused = new AtomicLong();
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();

    void accepted() {
        accepted.incrementAndGet();
    }

    void refused() {
        refused.incrementAndGet();
    }

    void connections(final int now) {
        connections.set(now);
    }

    void answered(final int length) {
        requests.incrementAndGet();
        bytes.addAndGet(length);
    }

    void failed() {
        requests.incrementAndGet();
        failures.incrementAndGet();
    }

    ServerStats stats() {
        return new ServerStats(
                connections.get(),
                accepted.get(),
                refused.get(),
                requests.get(),
                failures.get(),
                bytes.get());
    }
}
