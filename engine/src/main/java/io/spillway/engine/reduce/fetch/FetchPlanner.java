// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.settings.ShuffleSettings;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;

/**
 * Decides which fetch goes on next: gives each a place in its node's queue when there is memory for
 * it, and lets it wait for memory else. {@link FetchPump} asks for what is queued. Owned by the
 * loop's thread.
 *
 * <p><em>While copying</em>, whole segments are preferred (HOMR's greedy shuffle); as memory gets
 * scarce, a part of each, at most half of what is left: so parts shrink exponentially, no map takes
 * all, and in the end only heads are fetched.
 *
 * <p><em>While merging</em>, a stream that holds nothing asks at once, out of what is set aside for
 * it. All other memory goes, chunk by chunk, to the stream that the merge will use up first ({@link
 * RefillQueue}); or, with static windows, to the stream that gives a chunk back.
 */
public final class FetchPlanner {
    /** Starved streams looked at for each chunk that comes back: it can serve but one or two. */
    private static final int LOOKED_AT = 4;

    private final ShuffleState shuffle;
    private final ShuffleSettings settings;
    private final ChunkPool pool;
    private final NodeConnections connections;
    private final Deque<SegmentFetch> starved = new ArrayDeque<>();
    private final RefillQueue refills = new RefillQueue();
    private final WindowHistogram windows = new WindowHistogram();

    /** The maps whose lengths were learned, and their chunks beside the heads. */
    private int plannedMaps;

    private long plannedChunks;

    /** Plans with what there is; nothing waits yet. */
    public FetchPlanner(final ShuffleState shuffle, final NodeConnections connections) {
        this.shuffle = shuffle;
        this.settings = shuffle.settings;
        this.pool = shuffle.pool;
        this.connections = connections;
    }

    /** The windows that requests of the merge phase had. */
    public WindowHistogram windows() {
        return windows;
    }

    private boolean refillsByDemand() {
        return settings.windowsByDemand && shuffle.progress.isMerging();
    }

    /**
     * Queues a fetch at its node, if it wants more and there is memory; else it waits for memory.
     */
    public void enqueue(final SegmentFetch fetch) {
        queue(fetch, isUrgent(fetch));
    }

    /** As {@link #enqueue}, for a fetch whose node was just asked for it. */
    void enqueueAgain(final SegmentFetch fetch) {
        queue(fetch, isUrgent(fetch) && !shuffle.progress.isMerging());
    }

    private void queue(final SegmentFetch fetch, final boolean first) {
        if (refillsByDemand()) {
            refills.update(fetch);
        }
        if (fetch.schedule.isQueued() || !fetch.wantsMore()) {
            return;
        }
        if (!connections.goesOverHttp(fetch.node())
                && !pool.canTake(fetch.claim)
                && !fetch.isBehindGap()) {
            starve(fetch);
        } else {
            fetch.node().enqueue(fetch, first);
        }
    }

    private void starve(final SegmentFetch fetch) {
        if (!fetch.schedule.isStarved() && !refillsByDemand()) {
            fetch.schedule.starve();
            starved.addLast(fetch);
        }
    }

    /**
     * While maps run, finish what was begun; when none runs any more, get the heads that the merge
     * waits for; while merging, serve first who has nothing left.
     */
    private boolean isUrgent(final SegmentFetch fetch) {
        if (shuffle.progress.isMerging()) {
            return fetch.queue.isEmpty();
        }
        return fetch.lengthsKnown() != shuffle.progress.allAnnounced();
    }

    /** Keeps a fetch in its node's queue whatever happens to the node next. */
    public void requeue(final SegmentFetch fetch) {
        if (!fetch.schedule.isQueued() && fetch.wantsMore()) {
            fetch.node().enqueue(fetch, false);
        }
    }

    /** A chunk for the next request of a fetch that wants more; null when there is none now. */
    Chunk chunkFor(final SegmentFetch fetch) {
        final boolean mayTake =
                pool.canTake(fetch.claim)
                        || (refillsByDemand() && pool.canTakeSurplus(fetch.claim));
        if (!mayTake && !fetch.isBehindGap()) {
            return null;
        }
        final Chunk chunk = mayTake ? pool.take(fetch.claim) : fetch.sacrifice();
        if (shuffle.progress.isMerging()) {
            windows.add((long) fetch.claim.held() * settings.chunkSize);
        }
        return chunk;
    }

    // ---- while copying -------------------------------------------------------------------------

    /** A segment's head is here: how much of the rest is fetched while maps run? */
    void plan(final SegmentFetch fetch) {
        final int rest = settings.chunksFor(fetch.partLength()) - 1;
        pool.demand(fetch.claim, rest);
        if (!settings.windowsByDemand) {
            waitForWhole(fetch, pool.commitWhole(fetch.claim));
            return;
        }
        if (fetch.id.run() == 0) {
            plannedMaps++;
            plannedChunks += (long) rest * fetch.runs();
        }
        final int runsToCome = fetch.runs() - fetch.id.run() - 1;
        final int part = (int) Math.min(rest, mostFor((long) rest * (runsToCome + 1)));
        waitForWhole(fetch, pool.commit(fetch.claim, part) && part == rest);
    }

    private static void waitForWhole(final SegmentFetch fetch, final boolean committed) {
        if (committed) {
            fetch.waitForWhole();
        }
    }

    /**
     * The chunks that one segment may take of what is left. All, if its map's other runs and all
     * other maps are likely to fit too. Half, while maps run: what is fetched then costs no time
     * later. An even part after that: there is nothing to win, and the merge is best served with as
     * much of each.
     */
    private long mostFor(final long chunks) {
        final long left = pool.surplus();
        final long others = Math.max(0, settings.numMaps - plannedMaps);
        if (chunks + others * plannedChunks / plannedMaps <= left) {
            return left;
        }
        return shuffle.progress.allAnnounced() ? left / (others + 1) : left / 2;
    }

    /** As long as maps run, whole segments are worth more than heads. */
    public void commitMore() {
        if (shuffle.progress.allAnnounced()) {
            return;
        }
        for (int i = starved.size(); i > 0; i--) {
            final SegmentFetch fetch = pollStarved();
            if (fetch.wantsMore() && fetch.lengthsKnown()) {
                pool.commitWhole(fetch.claim);
            }
            enqueue(fetch);
        }
    }

    private SegmentFetch pollStarved() {
        final SegmentFetch fetch = starved.pollFirst();
        fetch.schedule.endStarving();
        return fetch;
    }

    /** A fetch goes on at another node, once it is queued again. */
    void move(final SegmentFetch fetch, final Node node) {
        forget(fetch);
        fetch.moveTo(node);
    }

    /** A fetch goes on where its output was announced, once it is queued again. */
    void moveHome(final SegmentFetch fetch) {
        fetch.hops.failedAt(fetch.node().address);
        move(fetch, fetch.home);
    }

    /** A fetch is not to go on. */
    void forget(final SegmentFetch fetch) {
        refills.remove(fetch);
        fetch.node().remove(fetch);
    }

    // ---- while merging -------------------------------------------------------------------------

    /** Begins to refill the streams among these fetches. */
    public void startStreaming(final Collection<SegmentFetch> fetches) {
        pool.startStreaming();
        fetches.forEach(this::enqueue);
    }

    /** A chunk of a fetch is back in the pool: who can go on? */
    public void chunkReturned(final SegmentFetch fetch) {
        // A fetch that was dropped has its successor's claim.
        final SegmentFetch current = fetch.map.fetchOf(fetch.id.run());
        if (current != null) {
            enqueue(current);
        }
        memoryReturned();
    }

    /** Chunks that were no fetch's are back in the pool: which streams can go on? */
    public void memoryReturned() {
        if (!shuffle.progress.isMerging() || refillsByDemand()) {
            return;
        }
        for (int i = Math.min(LOOKED_AT, starved.size()); i > 0 && pool.surplus() > 0; i--) {
            enqueue(pollStarved());
        }
    }

    /** The merge has used up a chunk. */
    public void consumed(final SegmentFetch fetch) {
        refills.consumed(fetch.map.fetchOf(fetch.id.run()));
        chunkReturned(fetch);
    }

    /**
     * Queues the stream that the merge will use up first, if there are chunks without an owner and
     * its node can be asked at once.
     *
     * @return false when there is none
     */
    boolean queueRefill() {
        final boolean mayRefill = refillsByDemand() && pool.surplus() > 0;
        final SegmentFetch next = mayRefill ? refills.next(this::canRefill) : null;
        if (next != null) {
            next.node().enqueue(next, false);
        }
        return next != null;
    }

    private boolean canRefill(final SegmentFetch fetch) {
        return !fetch.schedule.isQueued()
                && connections.isReachable(fetch.node())
                && fetch.node().inFlight() < settings.requestsInFlight
                && !fetch.node().hasWaiting()
                && pool.canTakeSurplus(fetch.claim);
    }
}
