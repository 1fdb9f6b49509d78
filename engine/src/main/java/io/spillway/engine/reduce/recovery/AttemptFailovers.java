// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.recovery;

import io.spillway.engine.reduce.fetch.MapAttempts;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.transport.FetchException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets the merge go on with another attempt of a map when the source of records that it has begun
 * to merge is lost, or silent: after a {@link AttemptFailover} has found that attempt's output to
 * be the same so far. A source that comes back in the meantime wins. Owned by the loop's thread.
 */
public final class AttemptFailovers implements AttemptFailover.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(AttemptFailovers.class);

    /** Each has a buffer of one chunk beyond the budget. */
    private static final int MOST_AT_A_TIME = 4;

    private static final long ASK_AGAIN_MILLIS = 3000;

    private final ShuffleState shuffle;
    private final ShuffleSettings settings;
    private final ShuffleLoop loop;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final MapAttempts attempts;
    private final Map<MapSlot, AttemptFailover> running = new HashMap<>();
    private final Deque<MapSlot> waiting = new ArrayDeque<>();
    private long lastStepMillis;

    /** None is under way. */
    public AttemptFailovers(
            final ShuffleState shuffle,
            final NodeConnections connections,
            final MapAttempts attempts) {
        this.shuffle = shuffle;
        this.settings = shuffle.settings;
        this.loop = shuffle.loop;
        this.progress = shuffle.progress;
        this.connections = connections;
        this.attempts = attempts;
    }

    // ---- silence -------------------------------------------------------------------------------

    /** Watches for requests without an answer, as long as the shuffle runs. */
    public void watch() {
        if (settings.hedgeMillis == 0) {
            return;
        }
        loop.schedule(
                LoopMessage.HEDGE_LOOK,
                Math.max(1, settings.hedgeMillis / 2),
                () -> {
                    hedge();
                    watch();
                });
    }

    private void hedge() {
        for (final MapSlot map : shuffle.maps) {
            if (!map.candidates().isEmpty() && !map.isComplete()) {
                map.incomplete()
                        .filter(fetch -> silentMillis(fetch) >= settings.hedgeMillis)
                        .findFirst()
                        .ifPresent(this::hedge);
            }
        }
    }

    private void hedge(final SegmentFetch fetch) {
        final MapSlot map = fetch.map;
        if (progress.isMerging()) {
            progress.streamTroubled(loop.nowMillis());
        }
        if (map.otherCandidate(loop.nowMillis()).isEmpty()) {
            return;
        }
        if (progress.isMerging()) {
            consider(map);
            return;
        }
        LOG.info("No answer from {} for {} ms: asking another attempt", fetch, silentMillis(fetch));
        progress.retried();
        attempts.restartAfter(fetch, settings.hedgeMillis);
        connections.renew(fetch.node());
    }

    private long silentMillis(final SegmentFetch fetch) {
        return fetch.source.silentMillis(loop.nowMillis());
    }

    // ---- failovers -----------------------------------------------------------------------------

    /** A map that is being merged would be better off with another attempt, if there is one. */
    public void consider(final MapSlot map) {
        if (!progress.isMerging() || running.containsKey(map) || waiting.contains(map)) {
            return;
        }
        waiting.addLast(map);
        startWaiting();
    }

    private void startWaiting() {
        while (running.size() < MOST_AT_A_TIME && !waiting.isEmpty()) {
            final MapSlot map = waiting.pollFirst();
            if (map.lacksBytes()) {
                map.otherCandidate(loop.nowMillis()).ifPresent(candidate -> start(map, candidate));
            }
        }
    }

    private void start(final MapSlot map, final MapSlot.Candidate candidate) {
        final AttemptFailover failover =
                new AttemptFailover(map, candidate, settings, loop, connections, this);
        running.put(map, failover);
        LOG.info("Comparing {} with what was merged of {}", failover, map.fetches().get(0).attempt);
        failover.advance();
    }

    /** An attempt's output is no more. */
    public void withdrawn(final MapSlot map, final MapSlot.Candidate candidate) {
        final AttemptFailover failover = running.get(map);
        if (failover != null && failover.candidate == candidate) {
            failover.cancel();
            ended(failover);
        }
    }

    @Override
    public void same(final AttemptFailover failover) {
        final MapSlot map = failover.map;
        if (failover.isOvertaken() || !map.lacksBytes()) {
            LOG.info("{} is not needed: its map goes on, or was given up, without it", failover);
        } else {
            LOG.info("Going on with {}: what was merged is the same", failover);
            progress.failedOver();
            final List<Node> silent = silentNodes(map);
            attempts.switchTo(map, failover.candidate, failover::checksum);
            expectRecordsOf(failover);
            silent.forEach(connections::renew);
        }
        ended(failover);
    }

    private static void expectRecordsOf(final AttemptFailover failover) {
        failover.map
                .incomplete()
                .forEach(
                        fetch ->
                                fetch.records.expect(
                                        failover.records(fetch.id.run()), fetch.attempt));
    }

    /** Whose requests in flight hold memory that the successors need. */
    private List<Node> silentNodes(final MapSlot map) {
        return map.incomplete()
                .filter(fetch -> silentMillis(fetch) > 0)
                .map(fetch -> fetch.node())
                .distinct()
                .toList();
    }

    @Override
    public void unfit(final AttemptFailover failover, final String why) {
        LOG.warn("{} cannot replace what was merged of the same map: {}", failover, why);
        failover.candidate.markUnfit(failover + " cannot replace it: " + why);
        ended(failover);
    }

    /**
     * Streams that only this attempt could have gone on with: what still serves goes on without.
     */
    private void failObsolete(final AttemptFailover failover, final String why) {
        failover.map
                .incomplete()
                .filter(fetch -> fetch.source.isObsolete() && fetch.source.isInTrouble())
                .forEach(fetch -> attempts.giveUp(fetch, lost(failover, fetch, why)));
    }

    private static IOException lost(
            final AttemptFailover failover, final SegmentFetch fetch, final String why) {
        return new IOException(
                "Lost map output of "
                        + fetch
                        + " after "
                        + fetch.delivered()
                        + " of "
                        + fetch.partLength()
                        + " bytes, while its records were being merged; the map has run again, but "
                        + failover
                        + " cannot replace it: "
                        + why);
    }

    @Override
    public void failed(final AttemptFailover failover, final FetchException cause) {
        if (cause.reason() == FetchException.Reason.BUSY
                || cause.reason() == FetchException.Reason.NOT_SPILLWAY) {
            notNow(failover, cause);
            return;
        }
        LOG.warn("Cannot compare {} with what was merged", failover, cause);
        progress.countFailedFetch();
        progress.reportLost(failover.candidate.attempt);
        failover.map.remove(failover.candidate);
        ended(failover);
    }

    /** Its output may be there: it is asked again, and nothing is reported. */
    private void notNow(final AttemptFailover failover, final FetchException cause) {
        final String why = cause.getMessage();
        LOG.warn("{} cannot replace what was merged of the same map now: {}", failover, why);
        failover.candidate.restUntil(loop.nowMillis() + ASK_AGAIN_MILLIS);
        if (cause.reason() == FetchException.Reason.NOT_SPILLWAY) {
            failObsolete(failover, why);
        }
        ended(failover);
    }

    private void ended(final AttemptFailover failover) {
        running.remove(failover.map);
        startWaiting();
    }

    /** When a failover last asked, or was answered. */
    public long lastStepMillis() {
        return lastStepMillis;
    }

    @Override
    public void stepped() {
        lastStepMillis = loop.nowMillis();
    }

    /** Whether one is under way for a map, or is to be. */
    public boolean isUnderWay(final MapSlot map) {
        return running.containsKey(map) || waiting.contains(map);
    }
}
