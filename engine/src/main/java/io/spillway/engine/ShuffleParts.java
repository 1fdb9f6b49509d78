// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.FallbackFetcher;
import io.spillway.engine.reduce.fetch.FetchParts;
import io.spillway.engine.reduce.fetch.FetchPlanner;
import io.spillway.engine.reduce.fetch.FetchPump;
import io.spillway.engine.reduce.fetch.MapAttempts;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.PlaceSearch;
import io.spillway.engine.reduce.fetch.SegmentReceiver;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.merge.InMemoryMerger;
import io.spillway.engine.reduce.recovery.AttemptFailovers;
import io.spillway.engine.reduce.recovery.FetchRecovery;
import io.spillway.engine.reduce.recovery.StreamRecovery;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.ifile.HeadMemory;
import io.spillway.transport.Transport;
import java.io.IOException;

/**
 * The parts of a shuffle's fetching side, put together. Their state belongs to the thread of the
 * {@link ShuffleLoop}.
 */
final class ShuffleParts {
    final ShuffleLoop loop;
    final ShuffleState shuffle;
    final NodeConnections connections;
    final FetchPlanner planner;
    final InMemoryMerger merges;
    final AttemptFailovers failovers;
    final SegmentReceiver receiver;
    final FallbackFetcher fallback;
    final CompletionEvents events;
    final Watchdog watchdog;
    final PlaceSearch search;
    final FetchRecovery recovery;
    private final MapAttempts attempts;

    /**
     * Makes the parts; nothing runs yet.
     *
     * @param onCopied runs whenever the copy phase may be over
     */
    ShuffleParts(
            final ShuffleState shuffle,
            final ShuffleHost host,
            final FallbackFetcher.Factory fallbacks,
            final Transport transport,
            final HeadMemory heads,
            final Runnable onCopied) {
        this.loop = shuffle.loop;
        this.shuffle = shuffle;
        this.connections =
                new NodeConnections(
                        shuffle,
                        transport,
                        host.outputs().credentials(),
                        shuffle.settings.parallelCopies,
                        new NodeListener());
        this.planner = new FetchPlanner(shuffle, connections);
        this.merges = new InMemoryMerger(shuffle, host, heads, planner, onCopied);
        this.attempts = new MapAttempts(shuffle, planner);
        this.failovers = new AttemptFailovers(shuffle, connections, attempts);
        this.search = new PlaceSearch(shuffle, planner, connections, host.outputs().places());
        this.recovery =
                new FetchRecovery(
                        shuffle,
                        connections,
                        attempts,
                        new StreamRecovery(shuffle, connections, planner, failovers, attempts));
        this.receiver = new SegmentReceiver(shuffle, planner, recovery, merges::add, onCopied);
        final FetchParts parts = new FetchParts(shuffle, connections, planner, receiver, recovery);
        this.fallback = fallbacks.of(parts);
        new FetchPump(parts, attempts, fallback).start();
        this.events = new CompletionEvents(shuffle, connections, attempts, failovers);
        this.watchdog =
                new Watchdog(
                        shuffle.settings.watchdogMillis,
                        loop,
                        new WaitCheck(shuffle, connections, failovers, merges, fallback),
                        new ShuffleDump(shuffle, connections, merges));
    }

    /** Has failures of nodes dealt with by the parts that are built upon the connections. */
    private final class NodeListener implements NodeConnections.Listener {
        @Override
        public void onHttpOnly(final Node node) {
            attempts.restartBegun(node);
        }

        @Override
        public void onFailed(final Node node, final IOException cause) {
            search.nodeFailed(node, cause, () -> recovery.nodeFailed(node, cause));
        }
    }
}
