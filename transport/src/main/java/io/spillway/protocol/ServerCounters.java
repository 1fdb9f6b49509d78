// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.serve.ServerStats.Refusal;
import io.spillway.transport.serve.ServerStats.Source;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what a server does. Thread-safe. */
public final class ServerCounters {
    private final LongAdder accepted = new LongAdder();
    private final LongAdder requests = new LongAdder();
    private final LongAdder failures = new LongAdder();
    private final Map<Refusal, LongAdder> refusals = adders(Refusal.class);
    private final Map<Source, LongAdder> sent = adders(Source.class);

    /** Starts at 0. */
    public ServerCounters() {}

    private static <E extends Enum<E>> Map<E, LongAdder> adders(final Class<E> keys) {
        final Map<E, LongAdder> adders = new EnumMap<>(keys);
        for (final E key : keys.getEnumConstants()) {
            adders.put(key, new LongAdder());
        }
        return adders;
    }

    private static <E extends Enum<E>> Map<E, Long> sums(
            final Class<E> keys, final Map<E, LongAdder> adders) {
        final Map<E, Long> sums = new EnumMap<>(keys);
        adders.forEach((key, adder) -> sums.put(key, adder.sum()));
        return sums;
    }

    /** A connection has come. */
    public void addAccepted() {
        accepted.increment();
    }

    /** A connection that has come is not served. */
    public void addRefused(final Refusal cause) {
        refusals.get(cause).increment();
    }

    /** A request is answered with bytes. */
    public void addRequest() {
        requests.increment();
    }

    /** Bytes have left. */
    public void addBytes(final Source source, final long length) {
        sent.get(source).add(length);
    }

    /** A request is answered with a failure. */
    public void addFailure() {
        requests.increment();
        failures.increment();
    }

    /** Of a server that accepts its connections itself. */
    public ServerStats stats(final int connections) {
        return new ServerStats(
                connections,
                accepted.sum(),
                sums(Refusal.class, refusals),
                requests.sum(),
                failures.sum(),
                sums(Source.class, sent));
    }

    /** Of a server whose connections another one accepts and refuses. */
    public ServerStats statsBehind(final ServerStats door) {
        return new ServerStats(
                door.connections(),
                door.accepted(),
                door.refusals(),
                requests.sum(),
                failures.sum(),
                sums(Source.class, sent));
    }
}
