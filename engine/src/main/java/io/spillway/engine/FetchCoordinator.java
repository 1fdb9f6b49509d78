// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine;

import io.spillway.engine.reduce.fetch.FallbackFetcher;
import io.spillway.engine.reduce.fetch.FetchPlanner;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.merge.PlacedCursor;
import io.spillway.engine.reduce.merge.RunCursors;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.reduce.thread.ShuffleThreads;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.EventNeed;
import io.spillway.engine.spi.OutputEvent;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.ifile.HeadMemory;
import io.spillway.report.TaskReport;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The face of the fetching side: takes messages for its parts ({@link ShuffleParts}), whose state
 * belongs to the thread of one {@link ShuffleLoop}. The methods here only send it messages, and may
 * be called by any thread. All messages have names: {@link LoopMessage}.
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

    private static final long REPORT_MILLIS = 2_000;

    private final ShuffleSettings settings;
    private final ShuffleThreads threads;
    private final Transport transport;
    private final TaskReport report;
    private final HeadMemory heads;
    private final ShuffleParts parts;
    private final CopyPhase copying;

    FetchCoordinator(
            final ShuffleSettings settings,
            final ShuffleHost host,
            final FallbackFetcher.Factory fallbacks,
            final Transport transport,
            final ShuffleThreads threads,
            final TaskReport report) {
        this.settings = settings;
        this.threads = threads;
        this.transport = transport;
        this.report = report;
        this.heads = new HeadMemory(settings.headBytes, settings.streams(), settings.decoderBytes);
        this.parts =
                new ShuffleParts(
                        new ShuffleState(
                                settings, new ShuffleLoop(threads, this::onFailure), host, report),
                        host,
                        fallbacks,
                        transport,
                        heads,
                        this::onCopied);
        this.copying = new CopyPhase(settings, threads, parts, report);
    }

    private void onCopied() {
        copying.endIfCopied();
    }

    // ---- messages ------------------------------------------------------------------------------

    /** Starts; with no maps the copy phase ends at once. */
    void start() {
        parts.loop.execute(LoopMessage.START, this::begin);
    }

    private void begin() {
        copying.endIfCopied();
        parts.failovers.watch();
        parts.watchdog.start();
        parts.connections.watchIdle();
    }

    /** Takes what becomes of map outputs, in its order. */
    void onEvents(final List<OutputEvent> batch) {
        parts.loop.execute(
                LoopMessage.OUTPUT_EVENTS,
                () -> {
                    parts.events.resolve(batch);
                    copying.waitForHeadsOnlySoon();
                    copying.endIfCopied();
                });
    }

    /** The task thread has consumed a chunk of a segment. */
    void consumed(final SegmentFetch fetch, final Chunk chunk) {
        parts.loop.execute(
                LoopMessage.CHUNK_CONSUMED,
                () -> {
                    parts.shuffle.pool.giveBack(fetch.claim, chunk);
                    parts.planner.consumed(fetch);
                });
    }

    /** Ends the shuffle with a failure; the first one stays. */
    void fail(final Throwable cause) {
        parts.loop.fail(cause);
    }

    private void onFailure(final IOException cause) {
        copying.fail(cause);
        parts.loop.executeAfterFailure(() -> failQueues(cause));
    }

    private void failQueues(final IOException cause) {
        for (final MapSlot map : parts.shuffle.maps) {
            map.fetches().forEach(fetch -> fetch.queue.fail(cause));
        }
    }

    /**
     * Reports the map of a segment that had another number of records than the map has counted.
     * Task thread, before {@link #close}, also after a failure; returns when it is reported.
     */
    void miscounted(final SegmentFetch fetch) {
        final AtomicBoolean reported = new AtomicBoolean();
        parts.loop.executeAfterFailure(
                () -> {
                    parts.recovery.miscounted(fetch);
                    synchronized (reported) {
                        reported.set(true);
                        reported.notifyAll();
                    }
                });
        try {
            if (!threads.await(reported, reported::get, REPORT_MILLIS)) {
                LOG.warn("{} could not be reported", fetch);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- the task thread -----------------------------------------------------------------------

    /**
     * Waits for the end of the copy phase.
     *
     * @return the fetches of all runs of all maps that have output, in the order of the maps, those
     *     included whose records {@link #openMerged} gives; null when the time has passed
     * @throws IOException when the shuffle failed
     */
    List<SegmentFetch> awaitCopied(final long millis) throws IOException, InterruptedException {
        return copying.await(millis);
    }

    /**
     * Whether something is under way that can end the caller's wait. Task thread, about once in
     * {@link StallClock#HEARTBEAT_MILLIS} while it waits.
     *
     * @throws IOException when the shuffle has failed, also where no listener could hear of it
     */
    boolean lives() throws IOException {
        final IOException failure = parts.loop.failure();
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        return parts.watchdog.lives();
    }

    /** Opens what was made of the fetches that are merged already. Task thread, once. */
    List<PlacedCursor> openMerged(final RunCursors cursors) throws IOException {
        return parts.merges.openMerged(cursors);
    }

    /** The bytes of records in what {@link #openMerged} opens. Task thread. */
    long mergedBytes() {
        return parts.merges.mergedBytes();
    }

    /** The records that combiners made fewer in what {@link #openMerged} opens. Task thread. */
    long combinedAway() {
        return parts.merges.combinedAway();
    }

    /** What all merges account for their heads in. Thread-safe. */
    HeadMemory heads() {
        return heads;
    }

    // ---- state ---------------------------------------------------------------------------------

    /** The memory of all fetches. Loop's thread. */
    ChunkPool pool() {
        return parts.shuffle.pool;
    }

    /** The maps, by number. Loop's thread. */
    public List<MapSlot> maps() {
        return parts.shuffle.maps;
    }

    // ---- figures -------------------------------------------------------------------------------

    /** The most memory that chunks took. */
    long peakBytes() {
        return parts.shuffle.pool.peakBytes();
    }

    /** What completion events may still be needed for. Any thread. */
    EventNeed eventNeed() {
        return parts.shuffle.progress.eventNeed(parts.loop.nowMillis());
    }

    /** When the last map's completion event came, by {@link System#nanoTime}. */
    long lastMapNanos() {
        return parts.shuffle.progress.lastMapNanos();
    }

    // ---- end -----------------------------------------------------------------------------------

    /** Frees everything. Idempotent; waits for the loop's thread, but not for long. */
    @Override
    public void close() {
        if (!parts.loop.close()) {
            return;
        }
        copying.fail(new IOException("The shuffle was closed"));
        parts.connections.stopOpening();
        parts.search.stop();
        parts.loop.end(this::release);
        parts.fallback.stopThreads();
        parts.merges.stop();
        transport.close();
    }

    private void release() {
        failQueues(new IOException("The shuffle was closed"));
        parts.connections.close();
        for (final MapSlot map : parts.shuffle.maps) {
            for (final SegmentFetch fetch : map.fetches()) {
                if (fetch.file() != null) {
                    fetch.file().close();
                }
            }
        }
        parts.merges.noteIn(report);
        report.note("retries", parts.shuffle.progress.retries());
        report.note("takeovers", parts.shuffle.progress.failovers());
        report.note("windows", settings.windowsByDemand ? "demand" : "static");
        report.note("window_histogram", parts.planner.windows().counts());
        report.note("bufferAllocated", parts.shuffle.pool.allocatedBytes());
        parts.fallback.close();
    }
}
