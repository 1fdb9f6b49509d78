// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.FetchState;
import io.spillway.engine.reduce.segment.FileBytes;
import io.spillway.engine.reduce.segment.FileSource;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.segment.SegmentPlacement;
import io.spillway.engine.settings.ShuffleSettings;
import java.util.List;
import java.util.function.Consumer;

/**
 * Takes a segment's bytes as they arrive, hands them on in order, and verifies the segment at its
 * end. Owned by the loop's thread.
 */
public final class SegmentReceiver {
    private final ShuffleState shuffle;
    private final ShuffleSettings settings;
    private final ChunkPool pool;
    private final ShuffleProgress progress;
    private final FetchPlanner planner;
    private final FailedFetches failed;
    private final Consumer<MapSlot> onComplete;
    private final Runnable onCopied;

    /** Whether the merge begins without waiting for what was to be fetched as a whole. */
    private boolean headsDo;

    /**
     * Creates a receiver.
     *
     * @param onComplete takes each map whose whole output is here
     * @param onCopied runs whenever one map more needs no more fetching
     */
    public SegmentReceiver(
            final ShuffleState shuffle,
            final FetchPlanner planner,
            final FailedFetches failed,
            final Consumer<MapSlot> onComplete,
            final Runnable onCopied) {
        this.shuffle = shuffle;
        this.settings = shuffle.settings;
        this.pool = shuffle.pool;
        this.progress = shuffle.progress;
        this.planner = planner;
        this.failed = failed;
        this.onComplete = onComplete;
        this.onCopied = onCopied;
    }

    /** Takes a piece of a segment whose lengths are known. Pieces come in any order. */
    void received(final SegmentFetch fetch, final long offset, final Chunk chunk) {
        fetch.arrive(offset, chunk);
        final long before = fetch.delivered();
        Chunk next = fetch.nextInOrder();
        while (next != null) {
            hand(fetch, next);
            next = fetch.nextInOrder();
        }
        if (progress.isMerging()) {
            progress.shuffled(fetch.delivered() - before);
        }
        if (fetch.allDelivered()) {
            allDelivered(fetch);
        } else {
            copiedIfHeadDoes(fetch);
        }
    }

    /** Waits from now on for no more than the heads of segments. */
    public void waitForHeadsOnly() {
        headsDo = true;
        for (final MapSlot map : shuffle.maps) {
            List.copyOf(map.fetches()).forEach(this::copiedIfHeadDoes);
        }
    }

    /**
     * What cannot be verified piece by piece is verified as a whole before it is merged, where it
     * fits.
     */
    private void copiedIfHeadDoes(final SegmentFetch fetch) {
        final boolean headDoes =
                fetch.state() != FetchState.WHOLE || (headsDo && !fetch.queue.isUnverified());
        if (headDoes && !fetch.isCopied() && !progress.isMerging() && fetch.delivered() > 0) {
            fetch.stream();
            copied(fetch);
        }
    }

    private void hand(final SegmentFetch fetch, final Chunk chunk) {
        // The merge opens no cursor on a segment without records: its chunks would stay out for
        // good.
        if (chunk.length() == 0 || fetch.isEmpty()) {
            pool.giveBack(fetch.claim, chunk);
        } else {
            fetch.queue.put(chunk);
        }
    }

    private void allDelivered(final SegmentFetch fetch) {
        if (!fetch.checksumMatches()) {
            failed.corrupt(fetch);
            return;
        }
        fetch.complete();
        if (progress.isMerging()) {
            progress.streamEnded();
        } else {
            settleIfComplete(fetch.map);
            copied(fetch);
            planner.commitMore();
        }
        fetch.queue.end();
    }

    /** Takes a segment that came over HTTP, verified. */
    public void receivedWhole(final SegmentFetch fetch, final SegmentPlacement placement) {
        if (placement.file() == null) {
            placement.chunks().forEach(chunk -> hand(fetch, chunk));
            fetch.completeAtOnce(null);
        } else {
            progress.putOnDisk(fetch.partLength());
            fetch.completeAtOnce(sourceOf(fetch, placement));
        }
        fetch.queue.end();
        settleIfComplete(fetch.map);
        copied(fetch);
        planner.commitMore();
    }

    private FileSource sourceOf(final SegmentFetch fetch, final SegmentPlacement placement) {
        return new FileSource(
                new FileBytes(placement.file()),
                fetch.partLength(),
                settings.form,
                placement.chunks().get(0),
                placement.pieces());
    }

    /** As long as a run is missing, the map may have to be fetched from another attempt. */
    private void settleIfComplete(final MapSlot map) {
        if (!map.isComplete()) {
            return;
        }
        map.unusedClaims().forEach(claim -> pool.demand(claim, 0));
        map.claims.forEach(pool::settle);
        map.fetches().forEach(this::trim);
        onComplete.accept(map);
    }

    /** A small segment needs no whole chunk. */
    private void trim(final SegmentFetch fetch) {
        if (settings.chunksFor(fetch.partLength()) == 1) {
            fetch.queue.drain().forEach(c -> fetch.queue.put(pool.trim(fetch.claim, c)));
        }
    }

    /** The whole segment, or its head, is here. */
    private void copied(final SegmentFetch fetch) {
        if (fetch.map.isCopied() || !fetch.map.allCopied()) {
            return;
        }
        shuffle.failures.copySucceeded(
                fetch.attempt, fetch.node().address.host(), shuffle.loop.nowMillis());
        progress.copied(fetch.map);
        onCopied.run();
    }
}
