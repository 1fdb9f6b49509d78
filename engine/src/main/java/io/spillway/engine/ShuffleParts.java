// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.FetchPump;
import io.spillway.engine.reduce.fetch.FallbackFetcher;
import io.spillway.engine.reduce.fetch.FetchFailures;
import io.spillway.engine.reduce.fetch.FetchParts;
import io.spillway.engine.reduce.fetch.FetchPlanner;
import io.spillway.engine.reduce.fetch.MapAttempts;
import io.spillway.engine.reduce.fetch.NodeConnections;
import io.spillway.engine.reduce.fetch.PlaceSearch;
import io.spillway.engine.reduce.fetch.SegmentReceiver;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.merge.InMemoryMerger;
import io.spillway.engine.reduce.recovery.AttemptFailovers;
import io.spillway.engine.reduce.recovery.FetchRecovery;
import io.spillway.engine.reduce.recovery.StreamRecovery;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.ifile.HeadMemory;
import io.spillway.report.TaskReport;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The parts of a shuffle's fetching side, put together. Their state belongs to the thread of the
 * {@link ShuffleLoop}.
 */
final class ShuffleParts {
    final ShuffleLoop loop;
    final ChunkPool pool;
    final MapSlot[] maps;
    final ShuffleProgress progress;
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
    private final FetchPump channels;

    /**
     * Makes the parts; nothing runs yet.
     *
     * @param onFailure takes the failure that ends the loop, in the thread that failed
     * @param onCopied runs whenever the copy phase may be over
     */
    ShuffleParts(
            final ShuffleSettings settings,
            final ShuffleHost host,
            final FallbackFetcher.Factory fallbacks,
            final Transport transport,
            final ShuffleThreads threads,
            final HeadMemory heads,
            final TaskReport report,
            final Consumer<IOException> onFailure,
            final Runnable onCopied) {
        this.loop = new ShuffleLoop(threads, onFailure);
        this.pool = new ChunkPool(settings.chunkSize, settings.chunks, !settings.windowsByDemand);
        this.maps = new MapSlot[settings.numMaps];
        Arrays.setAll(maps, index -> new MapSlot(claims(settings.runsPerMap)));
        this.progress =
                new ShuffleProgress(
                        host.copying(), host.counters(), host.failures(), report, settings.numMaps);
        final FetchFailures failures =
                new FetchFailures(
                        settings, host.counters(), progress::reportLost, threads.nowMillis());
        this.connections =
                new NodeConnections(
                        loop,
                        transport,
                        host.credentials(),
                        settings.parallelCopies,
                        settings.idleMillis,
                        progress,
                        new NodeListener());
        this.planner = new FetchPlanner(settings, pool, progress, connections);
        this.merges =
                new InMemoryMerger(settings, host, loop, pool, heads, progress, planner, onCopied);
        this.attempts = new MapAttempts(settings, loop, pool, maps, progress, planner);
        this.failovers =
                new AttemptFailovers(settings, loop, maps, progress, connections, attempts);
        final StreamRecovery streams =
                new StreamRecovery(
                        settings, loop, maps, progress, connections, planner, failovers, attempts);
        this.search = new PlaceSearch(loop, maps, planner, connections, host.places());
        this.recovery =
                new FetchRecovery(
                        settings, loop, progress, failures, connections, attempts, streams);
        this.receiver =
                new SegmentReceiver(
                        settings,
                        loop,
                        pool,
                        progress,
                        failures,
                        planner,
                        recovery,
                        merges::add,
                        onCopied);
        this.channels =
                new FetchPump(
                        settings,
                        loop,
                        pool,
                        progress,
                        connections,
                        planner,
                        receiver,
                        recovery,
                        attempts);
        this.fallback =
                fallbacks.of(
                        new FetchParts(
                                settings,
                                loop,
                                pool,
                                progress,
                                connections,
                                planner,
                                receiver,
                                recovery));
        this.events =
                new CompletionEvents(
                        maps,
                        pool,
                        progress,
                        failures,
                        connections,
                        attempts,
                        failovers,
                        loop.random());
        this.watchdog = newWatchdog(settings);
    }

    private Watchdog newWatchdog(final ShuffleSettings settings) {
        return new Watchdog(
                settings.watchdogMillis,
                loop,
                new WaitCheck(settings, maps, progress, connections, failovers, merges, fallback),
                new ShuffleDump(maps, progress, connections, pool, merges, loop::nowMillis));
    }

    private List<Claim> claims(final int runs) {
        return Stream.generate(pool::claim).limit(runs).toList();
    }

    /** Joins the nodes' connections to the parts that are built upon them. */
    private final class NodeListener implements NodeConnections.Listener {
        @Override
        public void onOpen(final Node node) {
            channels.fetch(node);
        }

        @Override
        public void onIdleHttp(final Node node) {
            fallback.fetch(node);
        }

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
