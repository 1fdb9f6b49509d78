package io.spillway.engine;

import io.spillway.engine.fetch.ChannelFetcher;
import io.spillway.engine.fetch.FallbackFetcher;
import io.spillway.engine.fetch.FetchFailures;
import io.spillway.engine.fetch.FetchParts;
import io.spillway.engine.fetch.FetchPlanner;
import io.spillway.engine.fetch.MapAttempts;
import io.spillway.engine.fetch.NodeConnections;
import io.spillway.engine.fetch.SegmentReceiver;
import io.spillway.engine.fetch.ShuffleProgress;
import io.spillway.engine.memory.Chunk;
import io.spillway.engine.memory.ChunkPool;
import io.spillway.engine.merge.PartialMerges;
import io.spillway.engine.merge.PlacedCursor;
import io.spillway.engine.merge.RunCursors;
import io.spillway.engine.recovery.FetchRecovery;
import io.spillway.engine.recovery.StreamRecovery;
import io.spillway.engine.recovery.Takeovers;
import io.spillway.engine.segment.MapSlot;
import io.spillway.engine.segment.Node;
import io.spillway.engine.segment.SegmentFetch;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.engine.thread.ShuffleLoop;
import io.spillway.engine.thread.ShuffleThreads;
import io.spillway.engine.thread.StallClock;
import io.spillway.report.TaskReport;
import io.spillway.sort.HeadMemory;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The face of the fetching side: puts its parts together, takes messages for them, and turns from
 * the copy phase to the merge phase. All state, its own and its parts', belongs to the thread of
 * one {@link ShuffleLoop}; the methods here only send it messages, and may be called by any thread.
 *
 * <p><em>Copy phase</em>: each segment is fetched whole, in part, or only its head ({@link
 * FetchPlanner}). A map is copied when its whole segment is verified, or its head is here and no
 * more is waited for. Until then its attempt can be dropped for another one.
 *
 * <p><em>Merge phase</em>: begins when every map is copied. Segments of which only the head is here
 * are streams: as the task thread gives chunks back, the next pieces are asked for.
 */
public final class FetchCoordinator implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(FetchCoordinator.class);

    /** How long the merge's beginning waits for whole segments when no map runs any more. */
    private static final long WHOLE_SEGMENTS_MILLIS = 250;

    private final ShuffleSettings settings;
    private final ShuffleThreads threads;
    private final Transport transport;
    private final TaskReport report;
    private final ShuffleLoop loop;
    private final CompletableFuture<List<SegmentFetch>> copyDone = new CompletableFuture<>();

    // ---- owned by the loop's thread ----
    private final ChunkPool pool;
    private final MapSlot[] maps;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final FetchPlanner planner;
    private final PartialMerges merges;
    private final MapAttempts attempts;
    private final Takeovers takeovers;
    private final FetchRecovery recovery;
    private final SegmentReceiver receiver;
    private final ChannelFetcher channels;
    private final FallbackFetcher fallback;
    private final CompletionEvents events;
    private final Watchdog watchdog;
    private boolean waitsForHeads;

    FetchCoordinator(
            final ShuffleSettings settings,
            final ShuffleHost host,
            final FallbackFetcher.Factory fallbacks,
            final Transport transport,
            final ShuffleThreads threads,
            final HeadMemory heads,
            final TaskReport report) {
        this.settings = settings;
        this.threads = threads;
        this.transport = transport;
        this.report = report;
        this.loop = new ShuffleLoop(threads, this::onFailure);
        this.pool = new ChunkPool(settings.chunkSize, settings.chunks, !settings.windowsByDemand);
        this.maps = new MapSlot[settings.numMaps];
        Arrays.setAll(maps, index -> new MapSlot(claims()));
        this.progress =
                new ShuffleProgress(
                        host.copying(), host.counters(), host.failures(), report, settings.numMaps);
        final FetchFailures failures =
                new FetchFailures(
                        settings, host.counters(), progress::reportToMaster, threads.nowMillis());
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
                new PartialMerges(
                        settings,
                        host,
                        loop,
                        pool,
                        heads,
                        progress,
                        planner,
                        this::finishCopyIfDone);
        this.attempts = new MapAttempts(settings, loop, pool, maps, progress, planner);
        this.takeovers = new Takeovers(settings, loop, maps, progress, connections, attempts);
        final StreamRecovery streams =
                new StreamRecovery(
                        settings, loop, maps, progress, connections, planner, takeovers, attempts);
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
                        this::finishCopyIfDone);
        this.channels =
                new ChannelFetcher(
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
                        takeovers,
                        loop.random());
        this.watchdog = newWatchdog();
    }

    private Watchdog newWatchdog() {
        return new Watchdog(
                settings.watchdogMillis,
                loop,
                new WaitCheck(settings, maps, progress, connections, takeovers, merges, fallback),
                new ShuffleDump(maps, progress, connections, pool, merges, loop::nowMillis));
    }

    private List<ChunkPool.Claim> claims() {
        return Stream.generate(pool::claim).limit(settings.runsPerMap).toList();
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
            recovery.nodeFailed(node, cause);
        }
    }

    // ---- messages ------------------------------------------------------------------------------

    /** Starts; with no maps the copy phase ends at once. */
    void start() {
        loop.execute(this::finishCopyIfDone);
        loop.execute(takeovers::watch);
        loop.execute(watchdog::start);
        loop.execute(connections::watchIdle);
    }

    /** Takes what becomes of map outputs, in its order. */
    void onEvents(final List<OutputEvent> batch) {
        loop.execute(
                () -> {
                    events.resolve(batch);
                    waitForHeadsOnlySoon();
                    finishCopyIfDone();
                });
    }

    /**
     * When no map runs any more the merge waits for whole segments but a moment: as long as it has
     * not begun, any of them can still be taken from another attempt.
     */
    private void waitForHeadsOnlySoon() {
        if (progress.allAnnounced() && !waitsForHeads && !progress.isMerging()) {
            waitsForHeads = true;
            loop.schedule(WHOLE_SEGMENTS_MILLIS, this::waitForHeadsOnly);
        }
    }

    private void waitForHeadsOnly() {
        waitsForHeads = progress.allAnnounced();
        if (waitsForHeads) {
            receiver.waitForHeadsOnly(maps);
        }
    }

    /** The task thread has consumed a chunk of a segment. */
    void consumed(final SegmentFetch fetch, final Chunk chunk) {
        loop.execute(
                () -> {
                    pool.giveBack(fetch.claim, chunk);
                    planner.consumed(fetch);
                });
    }

    /** Ends the shuffle with a failure; the first one stays. */
    void fail(final Throwable cause) {
        loop.fail(cause);
    }

    private void onFailure(final IOException cause) {
        copyDone.completeExceptionally(cause);
        loop.executeAfterFailure(() -> failQueues(cause));
    }

    private void failQueues(final IOException cause) {
        for (final MapSlot map : maps) {
            map.fetches().forEach(fetch -> fetch.queue.fail(cause));
        }
    }

    // ---- the end of the copy phase -------------------------------------------------------------

    private void finishCopyIfDone() {
        if (!progress.allCopied() || progress.isMerging() || !merges.end()) {
            return;
        }
        progress.startMerging();
        for (final MapSlot map : maps) {
            map.unusedClaims().forEach(claim -> pool.demand(claim, 0));
        }
        final List<SegmentFetch> fetches = new ArrayList<>();
        int streams = 0;
        for (final MapSlot map : maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                fetches.add(fetch);
                progress.shuffled(fetch.delivered());
                streams += fetch.isComplete() ? 0 : 1;
            }
        }
        progress.streamsOpened(streams);
        report.note("maps", maps.length);
        report.note("runs", fetches.size());
        report.note("hosts", connections.count());
        report.note("streams", streams);
        report.note(
                "unverified_streams",
                fetches.stream().filter(fetch -> fetch.queue.isUnverified()).count());
        LOG.info(
                "All {} maps are copied: {} runs as a whole, of {} the head; {} chunks of {} bytes",
                maps.length,
                fetches.size() - streams,
                streams,
                settings.chunks,
                settings.chunkSize);
        planner.startStreaming(fetches);
        copyDone.complete(fetches);
    }

    /**
     * Waits for the end of the copy phase.
     *
     * @return the fetches of all runs of all maps that have output, in the order of the maps, those
     *     included whose records {@link #openMerged} gives; null when the time has passed
     * @throws IOException when the shuffle failed
     */
    List<SegmentFetch> awaitCopied(final long millis) throws IOException, InterruptedException {
        try {
            return threads.get(copyDone, millis);
        } catch (final TimeoutException e) {
            return null;
        } catch (final ExecutionException e) {
            throw new IOException(e.getCause().getMessage(), e.getCause());
        }
    }

    /**
     * Whether something is under way that can end the caller's wait. Task thread, about once in
     * {@link StallClock#HEARTBEAT_MILLIS} while it waits.
     *
     * @throws IOException when the shuffle has failed, also where no listener could hear of it
     */
    boolean lives() throws IOException {
        final IOException failure = loop.failure();
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        return watchdog.lives();
    }

    /** Opens what was made of the fetches that are merged already. Task thread, once. */
    List<PlacedCursor> openMerged(final RunCursors cursors) throws IOException {
        return merges.openMerged(cursors);
    }

    /** The bytes of records in what {@link #openMerged} opens. Task thread. */
    long mergedBytes() {
        return merges.mergedBytes();
    }

    // ---- state ---------------------------------------------------------------------------------

    /** The memory of all fetches. Loop's thread. */
    ChunkPool pool() {
        return pool;
    }

    /** The maps, by number. Loop's thread. */
    public List<MapSlot> maps() {
        return List.of(maps);
    }

    // ---- figures -------------------------------------------------------------------------------

    /** The most memory that chunks took. */
    long peakBytes() {
        return pool.peakBytes();
    }

    /** What completion events may still be needed for. Any thread. */
    EventNeed eventNeed() {
        return progress.eventNeed(loop.nowMillis());
    }

    /** When the last map's completion event came, by {@link System#nanoTime}. */
    long lastMapNanos() {
        return progress.lastMapNanos();
    }

    // ---- end -----------------------------------------------------------------------------------

    /** Frees everything. Idempotent; waits for the loop's thread, but not for long. */
    @Override
    public void close() {
        if (!loop.close()) {
            return;
        }
        copyDone.completeExceptionally(new IOException("The shuffle was closed"));
        connections.stopOpening();
        loop.end(this::release);
        fallback.stopThreads();
        merges.stop();
        transport.close();
    }

    private void release() {
        failQueues(new IOException("The shuffle was closed"));
        connections.close();
        for (final MapSlot map : maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                if (fetch.file() != null) {
                    fetch.file().close();
                }
            }
        }
        merges.noteIn(report);
        report.note("retries", progress.retries());
        report.note("takeovers", progress.takeovers());
        report.note("windows", settings.windowsByDemand ? "demand" : "static");
        report.note("window_histogram", planner.windows().counts());
        report.note("bufferAllocated", pool.allocatedBytes());
        fallback.close();
    }
}
