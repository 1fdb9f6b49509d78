package io.spillway.transport.tcp;

import io.spillway.transport.ServerStats;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a server does. Thread-safe. */
final class ServerCounters {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder refused = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final LongAdder bytes = new LongAdder();

    void addAccepted() {
        accepted.increment();
    }

    void addRefused() {
        refused.increment();
    }

    void addRequest() {
        requests.increment();
    }

    void addBytes(final long length) {
        bytes.add(length);
    }

    void addFailure() {
        requests.increment();
        failures.increment();
    }

    ServerStats stats(final int connections) {
        return new ServerStats(
                connections,
                accepted.sum(),
                refused.sum(),
                requests.sum(),
                failures.sum(),
                bytes.sum());
    }
}
