// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.fetch.FetchPlanner;
import io.spillway.engine.reduce.fetch.ShuffleProgress;
import io.spillway.engine.reduce.fetch.ShuffleState;
import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.memory.Claim;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentLengths;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.engine.reduce.thread.ShuffleLoop;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.RunCombiner;
import io.spillway.engine.spi.ShuffleHost;
import io.spillway.ifile.HeadMemory;
import io.spillway.report.TaskReport;
import io.spillway.sort.KeyOrder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges complete segments in memory while maps still run, one batch at a time, in a thread beside
 * the loop. Owned by the loop's thread, but for what is said of each method.
 *
 * <p>Only segments of complete maps are merged, which stay whatever becomes of their attempts. When
 * the copy phase ends, a merge that runs is cut after its present record: the last merge reads what
 * it has written, and what it has left.
 *
 * <p>Fetches cannot be starved. A merge borrows chunks only from what no reserve needs, so that the
 * pool's invariant holds; all others that it uses come from complete segments, which have no
 * reserve. It never waits for memory, and gives back at its end what its output does not need: no
 * stream waits for a merge that waits for this stream. Where it cannot borrow enough there is no
 * merge.
 */
public final class InMemoryMerger {
    private static final Logger LOG = LoggerFactory.getLogger(InMemoryMerger.class);

    private static final long JOIN_MILLIS = 5000;

    private final ShuffleLoop loop;
    private final ChunkPool pool;

    /** Has the chunks of all merges: of those under way, and of what they have made. */
    private final Claim claim;

    private final ShuffleProgress progress;
    private final FetchPlanner planner;
    private final Runnable onIdle;
    private final KeyOrder order;
    private final Supplier<RunCursors> openers;
    private final RunCombiner.Source combiner;
    private final boolean compressed;
    private final MergePolicy policy;
    private final MergeFigures figures = new MergeFigures();
    private final CutMerges cuts = new CutMerges();
    private final ExecutorService thread;

    private boolean startIsDue;

    /** A merge was cut for want of memory: the next ones would be, too. */
    private boolean crowded;

    /** The merge under way, or null; ended by other threads, too. */
    private volatile InMemoryMerge current;

    /** What the merging thread has made and the loop has not taken yet. */
    private final AtomicReference<InMemoryMerge.Result> made = new AtomicReference<>();

    /**
     * Prepares merging; no thread runs yet.
     *
     * @param heads what merges account for their heads in
     * @param onIdle runs when a merge has ended
     */
    public InMemoryMerger(
            final ShuffleState shuffle,
            final ShuffleHost host,
            final HeadMemory heads,
            final FetchPlanner planner,
            final Runnable onIdle) {
        this.loop = shuffle.loop;
        this.thread = loop.blockingThreads("spillway-merge", 1);
        this.pool = shuffle.pool;
        this.progress = shuffle.progress;
        this.planner = planner;
        this.onIdle = onIdle;
        // A comparator of its own, for it may have state; yet it never runs beside the last merge.
        this.order = host.job().orders().get();
        this.openers = () -> new RunCursors(host.job().codecOrNull(), heads);
        this.combiner = host.job().combiner();
        final ShuffleSettings settings = shuffle.settings;
        this.compressed = settings.compressed;
        this.claim = pool.claimWithoutReserve();
        this.policy = new MergePolicy(settings, settings.combine.orElse(true) && combiner.exists());
    }

    /** A map is complete: its segments may be merged from now on. */
    public void add(final MapSlot map) {
        for (final SegmentFetch fetch : map.fetches()) {
            if (fetch.rawLength() <= SegmentLengths.MIN_RAW) {
                policy.add(MemoryRun.empty(fetch.number, fetch.number));
            } else if (fetch.file() == null) {
                policy.add(MemoryRun.of(fetch));
            }
        }
        final int first = map.fetches().get(0).number;
        if (map.fetches().size() < map.claims.size()) {
            policy.add(
                    MemoryRun.empty(first + map.fetches().size(), first + map.claims.size() - 1));
        }
        if (!startIsDue) {
            startIsDue = true;
            // Later: what completes the map is still being dealt with, and others may follow.
            loop.execute(LoopMessage.MERGE_DUE, this::startDue);
        }
    }

    private void startDue() {
        startIsDue = false;
        startNext();
    }

    private void startNext() {
        if (crowded || current != null || progress.isMerging() || progress.allCopied()) {
            return;
        }
        final MergePolicy.Batch batch = policy.next();
        if (batch != null && !start(batch)) {
            policy.putBack(batch);
        }
    }

    private boolean start(final MergePolicy.Batch batch) {
        final List<Chunk> borrowed =
                MergeMemory.borrow(
                        pool,
                        claim,
                        MergeMemory.chunksAhead(batch.inputs(), compressed, pool.chunkSize()));
        if (borrowed == null) {
            return batch.canBeHalved() && startHalf(batch);
        }
        final InMemoryMerge merge =
                new InMemoryMerge(
                        batch.inputs(),
                        run -> run.take(pool, claim),
                        new MergeMemory(pool.chunkSize(), borrowed),
                        openers.get(),
                        order,
                        this::giveBackLater);
        current = merge;
        thread.execute(() -> run(merge, batch));
        return true;
    }

    /** Combining frees memory: where there is little, some is better than none. */
    private boolean startHalf(final MergePolicy.Batch batch) {
        final boolean started = start(batch.firstHalf());
        if (started) {
            policy.putBack(batch.secondHalf());
        }
        return started;
    }

    /** In the merging thread. */
    private void run(final InMemoryMerge merge, final MergePolicy.Batch batch) {
        try {
            final RunCombiner combinerOrNull = batch.combine() ? combiner.get() : null;
            made.set(merge.run(combinerOrNull));
            loop.execute(LoopMessage.MERGE_ENDED, () -> ended(batch));
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            loop.fail(e);
        } catch (final IOException | ClassNotFoundException | RuntimeException | Error e) {
            if (!loop.isOver()) {
                LOG.error("A merge in memory failed", e);
            }
            loop.fail(e);
        }
    }

    private void ended(final MergePolicy.Batch batch) {
        final InMemoryMerge.Result result = made.getAndSet(null);
        current = null;
        figures.add(batch, result);
        result.unused().forEach(this::giveBack);
        final MemoryRun run =
                MemoryRun.merged(
                        trimmed(result.chunks()),
                        batch.inputs(),
                        batch.level(),
                        result.figures().recordsOut());
        if (result.rest() == null) {
            policy.add(run);
            judge(batch, result);
        } else {
            cuts.add(run, result.rest(), result.figures().restBytes());
        }
        if (result.crowded()) {
            LOG.info("Keys or decoders have no room in memory: not merging any more while copying");
            crowded = true;
        }
        if (result.exceeded()) {
            LOG.warn("The combiner makes map output longer: not combining any more");
            policy.stopCombining();
        }
        // Before fetches take what has become free: a merge needs little, and frees more.
        startNext();
        planner.commitMore();
        onIdle.run();
    }

    private void judge(final MergePolicy.Batch batch, final InMemoryMerge.Result result) {
        if (batch.combine() && !policy.combined(batch.storedLength(), result.bytesOut())) {
            LOG.info(
                    "Combining made {} of {} bytes: not combining any more",
                    result.bytesOut(),
                    batch.storedLength());
        }
    }

    /** A small run needs no whole chunk. */
    private List<Chunk> trimmed(final List<Chunk> chunks) {
        return chunks.size() == 1 ? List.of(pool.trim(claim, chunks.get(0))) : chunks;
    }

    private void giveBack(final Chunk chunk) {
        pool.giveBack(claim, chunk);
    }

    /** The last merge has consumed a chunk. Task thread. */
    private void giveBackLater(final Chunk chunk) {
        loop.execute(
                LoopMessage.MERGED_CHUNK_CONSUMED,
                () -> {
                    giveBack(chunk);
                    planner.memoryReturned();
                });
    }

    /** Whether a merge is under way: for how long is up to the job's combiner. */
    public boolean isRunning() {
        return current != null;
    }

    // ---- the end of the copy phase -------------------------------------------------------------

    /**
     * Ends the merging, for every map is copied.
     *
     * @return false when a merge still runs; it was cut, and {@code onIdle} runs when it has ended,
     *     for another try
     */
    public boolean end() {
        if (current != null) {
            current.cut();
            return false;
        }
        thread.shutdown();
        return true;
    }

    /** The bytes of what {@link #openMerged} opens. Any thread, once the copy phase is over. */
    public long mergedBytes() {
        return cuts.bytes() + policy.mergedRuns().stream().mapToLong(MemoryRun::rawLength).sum();
    }

    /**
     * The records that combiners made fewer, less those that they made more. Any thread, once the
     * copy phase is over.
     */
    public long combinedAway() {
        return figures.combinedAway();
    }

    /**
     * Opens, in place of the segments that were merged, what was made of them. Task thread, once,
     * when the copy phase is over.
     *
     * @param cursors opens the runs of the last merge
     */
    public List<PlacedCursor> openMerged(final RunCursors cursors) throws IOException {
        final List<PlacedCursor> opened = new ArrayList<>();
        for (final MemoryRun run : policy.mergedRuns()) {
            opened.add(open(run, cursors));
        }
        for (final MemoryRun run : cuts.runs()) {
            opened.add(open(run, cursors));
        }
        opened.addAll(cuts.takeRests());
        return opened;
    }

    private PlacedCursor open(final MemoryRun run, final RunCursors cursors) throws IOException {
        return new PlacedCursor(
                run.first(),
                cursors.run(run, new MemoryRunSource(run.chunks(), this::giveBackLater)));
    }

    // ---- end -----------------------------------------------------------------------------------

    /** Writes what was done into the report. */
    public void noteIn(final TaskReport report) {
        figures.noteIn(report);
    }

    /**
     * Ends the merging thread; waits for it, but not for long. Any thread, after the loop's end.
     */
    public void stop() {
        final InMemoryMerge merge = current;
        if (merge != null) {
            merge.abandon();
        }
        thread.shutdownNow();
        awaitEnd();
        final InMemoryMerge.Result lost = made.getAndSet(null);
        if (lost != null && lost.rest() != null) {
            CutMerges.close(lost.rest());
        }
        cuts.close();
    }

    private void awaitEnd() {
        final long deadline = loop.nowMillis() + JOIN_MILLIS;
        boolean interrupted = false;
        while (!thread.isTerminated() && loop.nowMillis() < deadline) {
            try {
                if (!thread.awaitTermination(deadline - loop.nowMillis(), TimeUnit.MILLISECONDS)) {
                    LOG.warn("The combiner does not end");
                }
            } catch (final InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
