package io.spillway.stream.server;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which connections a node takes: so many that have proved themselves, and beside them a few that
 * have not yet. Those may be anybody's, so they take no place of the others. Where they are too
 * many, one of the source that has most of them goes for the new one: a stranger who opens
 * connections in a loop takes places from its own host only. Thread-safe.
 */
final class Admission {
    private static final int MIN_UNPROVED = 8;
    private static final int MAX_UNPROVED = 256;

    private final int maxProved;
    private final int maxUnproved;

    /** By where they come from; of each source the oldest first. */
    private final Map<Object, Set<ServerConnection>> unproved = new HashMap<>();

    private int unprovedCount;
    private final Set<ServerConnection> proved = new HashSet<>();

    Admission(final int maxProved) {
        this.maxProved = maxProved;
        this.maxUnproved = Math.max(MIN_UNPROVED, Math.min(MAX_UNPROVED, maxProved));
    }

    /** A new connection may prove itself; an older one that has not goes for it where need be. */
    synchronized void admit(final ServerConnection connection) {
        if (unprovedCount >= maxUnproved) {
            evictOldestOfGreediest();
        }
        unproved.computeIfAbsent(connection.source(), source -> new LinkedHashSet<>())
                .add(connection);
        unprovedCount++;
    }

    private void evictOldestOfGreediest() {
        Set<ServerConnection> greediest = Set.of();
        for (final Set<ServerConnection> ofSource : unproved.values()) {
            if (ofSource.size() > greediest.size()) {
                greediest = ofSource;
            }
        }
        final ServerConnection oldest = greediest.iterator().next();
        forgetUnproved(oldest);
        oldest.evict();
    }

    /** Whether no more can be served now. */
    synchronized boolean isFull() {
        return proved.size() >= maxProved;
    }

    /** Whether a connection that has proved itself is served. */
    synchronized boolean serve(final ServerConnection connection) {
        forgetUnproved(connection);
        return proved.size() < maxProved && proved.add(connection);
    }

    /** A connection has ended. */
    synchronized void forget(final ServerConnection connection) {
        forgetUnproved(connection);
        proved.remove(connection);
    }

    private void forgetUnproved(final ServerConnection connection) {
        final Set<ServerConnection> ofSource = unproved.get(connection.source());
        if (ofSource == null || !ofSource.remove(connection)) {
            return;
        }
        unprovedCount--;
        if (ofSource.isEmpty()) {
            unproved.remove(connection.source());
        }
    }
}
