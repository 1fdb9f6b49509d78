// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.FallbackFetcher;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.merge.InMemoryMerger;
import io.spillway.engine.reduce.recovery.AttemptFailovers;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.settings.ShuffleSettings;
import java.util.List;

/**
 * Tells whether something is under way that can end what the task thread waits for. A wait may last
 * as long as maps run, nodes rest, bytes come or a combiner works; each of these but maps and
 * combiners has a bound of its own, beyond which it counts no more. Owned by the loop's thread.
 */
final class WaitCheck {
    /**
     * A wait that nothing can end.
     *
     * @param progress how far the waiter had come: another value is another wait
     */
    record DeadWait(Object waiter, long progress, String why) {
        boolean isSameAs(final DeadWait other) {
            return other != null && waiter == other.waiter && progress == other.progress;
        }
    }

    /** So many times a transport's time-out it answers in, or fails. */
    private static final int TIMEOUTS = 2;

    /** Opening may try one transport, another, and the first one again. */
    private static final int OPENINGS = 4;

    private final List<MapSlot> maps;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final AttemptFailovers failovers;
    private final InMemoryMerger merges;
    private final FallbackFetcher http;
    private final long answerMillis;
    private final long openingMillis;
    private final long httpMillis;
    private final long failoverMillis;
    private long now;

    WaitCheck(
            final ShuffleState shuffle,
            final NodeConnections connections,
            final AttemptFailovers failovers,
            final InMemoryMerger merges,
            final FallbackFetcher http) {
        this.maps = shuffle.maps;
        this.progress = shuffle.progress;
        this.connections = connections;
        this.failovers = failovers;
        this.merges = merges;
        this.http = http;
        final ShuffleSettings settings = shuffle.settings;
        this.answerMillis = TIMEOUTS * settings.readTimeoutMillis;
        this.openingMillis = OPENINGS * settings.connectTimeoutMillis;
        this.httpMillis = http.answerMillis();
        this.failoverMillis = answerMillis + openingMillis + settings.streamRetryMillis;
    }

    /** The first wait that nothing can end, or null. */
    DeadWait find(final long nowMillis) {
        now = nowMillis;
        return progress.isMerging() ? whileMerging() : whileCopying();
    }

    /** Whether all that is waited for is the job's own combiner. */
    boolean waitsForCombiner() {
        return !progress.isMerging() && progress.allCopied() && merges.isRunning();
    }

    private DeadWait whileMerging() {
        for (final MapSlot map : maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                if (fetch.queue.isAwaited() && !canGoOn(fetch)) {
                    return deadWait(fetch);
                }
            }
        }
        return null;
    }

    private DeadWait whileCopying() {
        for (final MapSlot map : maps) {
            final DeadWait dead = map.isCopied() || map.isAbandoned() ? null : deadWait(map);
            if (dead != null) {
                return dead;
            }
        }
        return progress.allCopied() && !merges.isRunning()
                ? new DeadWait(progress, 0, "every map is copied, and the merge does not begin")
                : null;
    }

    private DeadWait deadWait(final MapSlot map) {
        for (final SegmentFetch fetch : map.fetches()) {
            if (!fetch.isCopied() && !canGoOn(fetch)) {
                return deadWait(fetch);
            }
        }
        if (map.isBegun() || map.candidates().isEmpty()) {
            // A map without a source runs, or will: its event comes, or the poller of events fails.
            return null;
        }
        return map.candidates().stream().anyMatch(candidate -> candidate.rests(now))
                ? null
                : new DeadWait(
                        map,
                        0,
                        "no fetch of " + map.candidates().iterator().next().attempt + " was begun");
    }

    private static DeadWait deadWait(final SegmentFetch fetch) {
        return new DeadWait(
                fetch,
                fetch.delivered(),
                "nothing is under way that brings the next bytes of " + fetch);
    }

    private boolean canGoOn(final SegmentFetch fetch) {
        final Node node = fetch.node();
        if (fetch.source.isResting()) {
            return true;
        }
        if (failovers.isUnderWay(fetch.map)) {
            return isRecent(failovers.lastStepMillis(), failoverMillis);
        }
        if (fetch.requests() > 0) {
            return isRecent(node.lastAnswerMillis(), answerMillis);
        }
        if (fetch.schedule.isQueued() || node.state() == Node.State.HTTP_BUSY) {
            return isServed(node);
        }
        // It lacks memory: what is under way elsewhere brings some back.
        return fetch.wantsMore()
                && (merges.isRunning() || connections.nodes().stream().anyMatch(this::isServed));
    }

    /** Whether a node is on its way to serve what waits for it. */
    private boolean isServed(final Node node) {
        return switch (node.state()) {
            case IDLE -> false;
            case OPENING -> isRecent(openingMillis(node), openingMillis);
            case OPEN -> node.inFlight() > 0 && isRecent(node.lastAnswerMillis(), answerMillis);
            case RESTING -> now < node.restUntilMillis();
            case HTTP_BUSY -> isRecent(http.lastActivityMillis(), httpMillis);
        };
    }

    /** One that waits for its turn comes on with the openings of others. */
    private long openingMillis(final Node node) {
        final long since = node.openingSinceMillis();
        return since == 0 ? connections.lastOpeningMillis() : since;
    }

    private boolean isRecent(final long millis, final long bound) {
        return now - millis <= bound;
    }
}
