// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.MapAttempts;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.recovery.AttemptFailovers;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.OutputId;
import io.spillway.engine.spi.ShuffleError;
import io.spillway.transport.NodeAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns what becomes of map outputs into sources of maps: attempts that succeeded, were lost again,
 * or will never be. Owned by the loop's thread.
 */
final class CompletionEvents {
    private static final Logger LOG = LoggerFactory.getLogger(CompletionEvents.class);

    private final ShuffleState shuffle;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final MapAttempts attempts;
    private final AttemptFailovers failovers;

    CompletionEvents(
            final ShuffleState shuffle,
            final NodeConnections connections,
            final MapAttempts attempts,
            final AttemptFailovers failovers) {
        this.shuffle = shuffle;
        this.progress = shuffle.progress;
        this.connections = connections;
        this.attempts = attempts;
        this.failovers = failovers;
    }

    /** Takes events in their order, and starts the fetches they make possible. */
    void resolve(final List<OutputEvent> events) {
        final List<MapSlot> announced = new ArrayList<>();
        for (final OutputEvent event : events) {
            final MapSlot map = slotOf(event.output());
            if (map != null) {
                resolve(event, map, announced);
            }
        }
        // Another order in each reducer, so that they do not all ask the same node first.
        Collections.shuffle(announced, shuffle.loop.random());
        announced.forEach(attempts::startNext);
    }

    private MapSlot slotOf(final OutputId output) {
        if (output.map() < 0 || output.map() >= shuffle.maps.size()) {
            progress.count(ShuffleError.BAD_ID);
            LOG.warn(
                    "Ignoring completion event of {}: there are {} maps",
                    output,
                    shuffle.maps.size());
            return null;
        }
        return shuffle.maps.get(output.map());
    }

    private void resolve(
            final OutputEvent event, final MapSlot map, final List<MapSlot> announced) {
        if (event instanceof OutputEvent.Ready ready) {
            shuffle.failures.mapRan(ready.ranMillis());
            addCandidate(map, ready.output(), ready.node(), ready.baseUrl());
            announced.add(map);
        } else if (event instanceof OutputEvent.Withdrawn) {
            obsolete(map, event.output());
        } else {
            abandon(map);
        }
    }

    private void addCandidate(
            final MapSlot map,
            final OutputId attempt,
            final NodeAddress address,
            final String baseUrl) {
        if (map.isAbandoned() || map.isComplete()) {
            return;
        }
        if (map.candidate(attempt).isPresent()) {
            return;
        }
        final boolean wasAnnounced = map.isAnnounced();
        final Node node = connections.node(address, baseUrl);
        map.add(new MapSlot.Candidate(attempt, node));
        if (progress.isMerging()) {
            replaceIfLost(map);
        } else if (!wasAnnounced) {
            progress.mapAnnounced();
        }
    }

    /**
     * A map that was lost while its records were being merged has run again. That the framework
     * gives up the old attempt is no reason to leave it: its node may be unhealthy, or leave the
     * cluster, and serve until then.
     */
    private void replaceIfLost(final MapSlot map) {
        if (map.incomplete().anyMatch(fetch -> fetch.source.isInTrouble())) {
            failovers.consider(map);
        }
    }

    private void obsolete(final MapSlot map, final OutputId attempt) {
        shuffle.failures.forget(attempt);
        final boolean wasAnnounced = map.isAnnounced();
        map.candidate(attempt).ifPresent(candidate -> withdraw(map, candidate));
        final boolean isCurrent = map.isOf(attempt);
        if (progress.isMerging() || map.isComplete()) {
            map.fetches().stream()
                    .filter(fetch -> fetch.attempt.equals(attempt))
                    .forEach(fetch -> fetch.source.markObsolete());
            return;
        }
        if (isCurrent) {
            attempts.drop(map);
            attempts.startNext(map);
        }
        if (wasAnnounced && !map.isAnnounced()) {
            progress.mapWithdrawn();
        }
    }

    private void withdraw(final MapSlot map, final MapSlot.Candidate candidate) {
        failovers.withdrawn(map, candidate);
        map.remove(candidate);
    }

    private void abandon(final MapSlot map) {
        if (progress.isMerging() || map.isAbandoned() || map.isComplete()) {
            return;
        }
        final boolean wasAnnounced = map.isAnnounced();
        if (map.isBegun()) {
            attempts.drop(map);
        }
        map.abandon();
        for (final Claim claim : map.claims) {
            shuffle.pool.demand(claim, 0);
            shuffle.pool.settle(claim);
        }
        if (!wasAnnounced) {
            progress.mapAnnounced();
        }
        progress.abandoned();
    }
}
