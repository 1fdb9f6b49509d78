// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkPool;
import io.spillway.engine.reduce.segment.MapSlot;
import io.spillway.engine.reduce.segment.Node;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.reduce.segment.SegmentFetch;
import io.spillway.engine.reduce.thread.LoopMessage;
import io.spillway.transport.SegmentId;
import java.io.IOException;
import java.util.function.IntFunction;

/**
 * Chooses the attempt that each map is fetched from, and changes it as long as no merge has seen
 * its records. Owned by the loop's thread.
 */
public final class MapAttempts {
    private final ShuffleState shuffle;
    private final ChunkPool pool;
    private final FetchPlanner planner;

    public MapAttempts(final ShuffleState shuffle, final FetchPlanner planner) {
        this.shuffle = shuffle;
        this.pool = shuffle.pool;
        this.planner = planner;
    }

    /** Starts fetching a map from a source that does not rest. */
    public void startNext(final MapSlot map) {
        if (map.isBegun() || map.isAbandoned() || map.candidates().isEmpty()) {
            return;
        }
        final long now = shuffle.loop.nowMillis();
        long wait = Long.MAX_VALUE;
        for (final MapSlot.Candidate candidate : map.candidates()) {
            if (!candidate.rests(now)) {
                add(map, candidate);
                return;
            }
            wait = Math.min(wait, candidate.notBeforeMillis() - now);
        }
        shuffle.loop.schedule(LoopMessage.ATTEMPT_RESTED, wait, () -> startNext(map));
    }

    private void add(final MapSlot map, final MapSlot.Candidate from) {
        final int run = map.fetches().size();
        final SegmentFetch fetch =
                new SegmentFetch(
                        map,
                        from,
                        new SegmentId(from.attempt.name(), shuffle.settings.partition, run),
                        shuffle.settings.chunkSize,
                        shuffle.settings.form,
                        shuffle.settings.forecastOrder);
        map.add(fetch);
        planner.enqueue(fetch);
    }

    /** The first run has told how many there are: fetches the others too. */
    void startOtherRuns(final SegmentFetch first) {
        final MapSlot.Candidate from = new MapSlot.Candidate(first.attempt, first.home);
        while (first.map.fetches().size() < first.runs()) {
            add(first.map, from);
        }
    }

    /**
     * While merging: a map's incomplete fetches go on from another attempt, which was found to
     * begin with the same content.
     *
     * @param soFar the checksum of the bytes of a run of the other attempt that have passed
     */
    public void switchTo(
            final MapSlot map,
            final MapSlot.Candidate candidate,
            final IntFunction<SegmentChecksum> soFar) {
        for (final SegmentFetch fetch : map.incomplete().toList()) {
            planner.forget(fetch);
            fetch.drainArrived().forEach(chunk -> pool.giveBack(fetch.claim, chunk));
            final SegmentFetch next = fetch.succeededBy(candidate, soFar.apply(fetch.id.run()));
            map.replace(fetch, next);
            pool.demandAgain(
                    fetch.claim,
                    shuffle.settings.chunksFor(fetch.partLength() - fetch.delivered()));
            planner.enqueue(next);
        }
    }

    /** A node that others have named cannot be had: they are asked again. */
    public void askHomesInsteadOf(final Node node) {
        for (final MapSlot map : shuffle.maps) {
            for (final SegmentFetch fetch : map.incomplete().toList()) {
                if (fetch.node() == node && fetch.isAway()) {
                    planner.moveHome(fetch);
                    planner.enqueue(fetch);
                }
            }
        }
    }

    /**
     * While merging: a fetch cannot go on, and the task thread fails when it comes to it. Until
     * then nothing more is asked for it, and its memory is the other streams'.
     */
    public void giveUp(final SegmentFetch fetch, final IOException cause) {
        if (fetch.isDropped()) {
            return;
        }
        fetch.drop();
        planner.forget(fetch);
        fetch.drain().forEach(chunk -> pool.giveBack(fetch.claim, chunk));
        pool.demandAgain(fetch.claim, 0);
        fetch.queue.fail(cause);
    }

    /** Drops a map's fetches whose records no merge has seen. */
    public void drop(final MapSlot map) {
        for (final SegmentFetch fetch : map.fetches()) {
            fetch.drop();
            for (final Chunk chunk : fetch.drain()) {
                pool.giveBack(fetch.claim, chunk);
            }
        }
        map.clearFetches();
        map.claims.forEach(pool::restart);
        if (map.isCopied()) {
            shuffle.progress.copyLost(map);
        }
    }

    /** Drops a fetch; its map is fetched from scratch, from another source if there is one. */
    public void restartAfter(final SegmentFetch fetch, final long delayMillis) {
        final MapSlot map = fetch.map;
        drop(map);
        final long untilMillis = shuffle.loop.nowMillis() + delayMillis;
        map.candidate(fetch.attempt).ifPresent(failed -> failed.restUntil(untilMillis));
        startNext(map);
    }

    /** What was begun over a node's channel cannot be finished over HTTP. */
    public void restartBegun(final Node node) {
        for (final MapSlot map : shuffle.maps) {
            if (!map.isComplete()
                    && map.fetches().stream()
                            .anyMatch(fetch -> fetch.node() == node && fetch.lengthsKnown())) {
                drop(map);
                startNext(map);
            }
        }
    }
}
