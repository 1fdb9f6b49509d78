package io.spillway.stream.server;

import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Which connections a node takes: so many that have proved themselves, and beside them a few that
 * have not yet. Those may be anybody's, so they take no place of the others; and where they are too
 * many, the oldest goes for a new one once it has had the time that a proof takes. Thread-safe.
 */
final class Admission {
    /** A proof takes two messages each way: some milliseconds. */
    private static final long PROOF_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final int MIN_UNPROVED = 8;
    private static final int MAX_UNPROVED = 256;

    private final int maxProved;
    private final int maxUnproved;

    /** With the times at which they came, the oldest first. */
    private final Map<ServerConnection, Long> unproved = new LinkedHashMap<>();

    private final Set<ServerConnection> proved = new HashSet<>();

    Admission(final int maxProved) {
        this.maxProved = maxProved;
        this.maxUnproved = Math.max(MIN_UNPROVED, Math.min(MAX_UNPROVED, maxProved));
    }

    /** Whether a new connection may prove itself. */
    synchronized boolean admit(final ServerConnection connection) {
        final long now = System.nanoTime();
        if (unproved.size() >= maxUnproved && !evictOldest(now)) {
            return false;
        }
        unproved.put(connection, now);
        return true;
    }

    private boolean evictOldest(final long now) {
        final Iterator<Map.Entry<ServerConnection, Long>> entries = unproved.entrySet().iterator();
        final Map.Entry<ServerConnection, Long> oldest = entries.next();
        if (now - oldest.getValue() < PROOF_NANOS) {
            return false;
        }
        final ServerConnection connection = oldest.getKey();
        entries.remove();
        connection.evict();
        return true;
    }

    /** Whether no more can be served now. */
    synchronized boolean isFull() {
        return proved.size() >= maxProved;
    }

    /** Whether a connection that has proved itself is served. */
    synchronized boolean serve(final ServerConnection connection) {
        unproved.remove(connection);
        return proved.size() < maxProved && proved.add(connection);
    }

    /** A connection has ended. */
    synchronized void forget(final ServerConnection connection) {
        unproved.remove(connection);
        proved.remove(connection);
    }
}
