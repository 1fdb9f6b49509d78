package io.spillway.hadoop.reduce;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Decides which fetch goes on next: gives each a place in its node's queue when there is memory for
 * it, and lets it go hungry else. Owned by the loop's thread.
 *
 * <p>While copying, whole segments are preferred as long as the pool keeps two chunks for every map
 * that is not whole; else only the head is fetched. While merging, the chunks that come back go to
 * the streams: first to the one that gave them back, then to hungry ones.
 */
final class FetchPlanner {
    /** Hungry streams looked at for each chunk that comes back: it can serve but one or two. */
    private static final int LOOKED_AT = 4;

    private final ShuffleSettings settings;
    private final ChunkPool pool;
    private final ShuffleProgress progress;
    private final NodeConnections connections;
    private final Deque<SegmentFetch> hungry = new ArrayDeque<>();

    FetchPlanner(
            final ShuffleSettings settings,
            final ChunkPool pool,
            final ShuffleProgress progress,
            final NodeConnections connections) {
        this.settings = settings;
        this.pool = pool;
        this.progress = progress;
        this.connections = connections;
    }

    /** Queues a fetch at its node, if it wants more and there is memory; else it goes hungry. */
    void enqueue(final SegmentFetch fetch) {
        if (queue(fetch, isUrgent(fetch))) {
            connections.pump(fetch.node);
        }
    }

    /** As {@link #enqueue}, for a fetch whose node is being pumped and was just asked. */
    void enqueueAgain(final SegmentFetch fetch) {
        queue(fetch, isUrgent(fetch) && !progress.isMerging());
    }

    private boolean queue(final SegmentFetch fetch, final boolean first) {
        if (fetch.queued || !fetch.wantsMore()) {
            return false;
        }
        if (!fetch.node.httpOnly && !pool.canTake(fetch.claim)) {
            goHungry(fetch);
            return false;
        }
        fetch.queued = true;
        if (first) {
            fetch.node.waiting.addFirst(fetch);
        } else {
            fetch.node.waiting.addLast(fetch);
        }
        return true;
    }

    private void goHungry(final SegmentFetch fetch) {
        if (!fetch.hungry) {
            fetch.hungry = true;
            hungry.addLast(fetch);
        }
    }

    /** While copying, finish what was begun; while merging, serve first who has nothing left. */
    private boolean isUrgent(final SegmentFetch fetch) {
        return progress.isMerging() ? fetch.queue.isEmpty() : fetch.lengthsKnown();
    }

    /** Keeps a fetch in its node's queue whatever happens to the node next. */
    void requeue(final SegmentFetch fetch) {
        if (!fetch.queued && fetch.wantsMore()) {
            fetch.queued = true;
            fetch.node.waiting.addLast(fetch);
        }
    }

    /** Takes the next fetch out of a node's queue; null when none waits. */
    SegmentFetch poll(final Node node) {
        final SegmentFetch fetch = node.waiting.pollFirst();
        if (fetch != null) {
            fetch.queued = false;
        }
        return fetch;
    }

    /** A segment's head is here: as a whole, or shall the head do for now? */
    void plan(final SegmentFetch fetch) {
        pool.demand(fetch.claim, settings.chunksFor(fetch.partLength()) - 1);
        fetch.whole = pool.commitWhole(fetch.claim);
    }

    /** As long as maps run, whole segments are worth more than heads. */
    void commitMore() {
        if (progress.allAnnounced()) {
            return;
        }
        for (int i = hungry.size(); i > 0; i--) {
            final SegmentFetch fetch = pollHungry();
            if (fetch.wantsMore() && fetch.lengthsKnown()) {
                fetch.whole = fetch.whole || pool.commitWhole(fetch.claim);
            }
            enqueue(fetch);
        }
    }

    /** A chunk of a fetch is back in the pool: who can go on? */
    void chunkReturned(final SegmentFetch fetch) {
        // A fetch that was dropped has its successor's claim.
        final SegmentFetch current = fetch.map.fetchOf(fetch.id.run());
        if (current != null) {
            enqueue(current);
        }
        if (progress.isMerging()) {
            for (int i = Math.min(LOOKED_AT, hungry.size()); i > 0 && pool.surplus() > 0; i--) {
                enqueue(pollHungry());
            }
        }
    }

    private SegmentFetch pollHungry() {
        final SegmentFetch fetch = hungry.pollFirst();
        fetch.hungry = false;
        return fetch;
    }
}
