// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * Which connections a node takes: so many that have proved themselves, of one job at most four
 * times as many as are free, so that others get in; those of other nodes, which are not counted
 * among them; and a few that have not proved themselves yet. These may be anybody's, so they take
 * no place of the others. Where they are too many, one of the source that has most of them goes for
 * the new one: a stranger who opens connections in a loop takes places from its own host only.
 * Thread-safe.
 */
final class Admission {
    private static final int TIMES_FREE = 4;

    private static final int MIN_UNPROVED = 8;
    private static final int MAX_UNPROVED = 256;

    private final int maxProved;
    private final int maxUnproved;

    /** By where they come from; of each source the oldest first. */
    private final Map<Object, Set<ServerConnection>> unproved = new HashMap<>();

    private int unprovedCount;

    /** Those of tasks, with their jobs. */
    private final Map<ServerConnection, String> proved = new HashMap<>();

    /** How many of them each job has. */
    private final Map<String, Integer> ofJob = new HashMap<>();

    private final Set<ServerConnection> ofNodes = new HashSet<>();

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

    /** Whether no more of a job can be served now. */
    private boolean isFull(final String jobId) {
        final int own = ofJob.getOrDefault(jobId, 0);
        final int free = maxProved - proved.size();
        return free <= 0 || (own > 0 && own >= TIMES_FREE * free);
    }

    /** Whether a connection that has proved itself for a job is served. */
    synchronized boolean serve(final ServerConnection connection, final String jobId) {
        forgetUnproved(connection);
        if (isFull(jobId)) {
            return false;
        }
        proved.put(connection, jobId);
        ofJob.merge(jobId, 1, Integer::sum);
        return true;
    }

    /** The same for a connection of another node. */
    synchronized boolean serveNode(final ServerConnection connection) {
        forgetUnproved(connection);
        return ofNodes.size() < maxProved && ofNodes.add(connection);
    }

    /** A connection has ended. */
    synchronized void forget(final ServerConnection connection) {
        forgetUnproved(connection);
        ofNodes.remove(connection);
        final String jobId = proved.remove(connection);
        if (jobId != null) {
            ofJob.computeIfPresent(jobId, (id, count) -> count == 1 ? null : count - 1);
        }
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
