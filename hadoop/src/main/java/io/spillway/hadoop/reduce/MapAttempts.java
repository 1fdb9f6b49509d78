package io.spillway.hadoop.reduce;

import org.apache.hadoop.mapred.TaskAttemptID;

/**
 * Chooses the attempt that each map is fetched from, and changes it as long as nobody has seen its
 * records. Owned by the loop's thread.
 */
final class MapAttempts {
    private final ShuffleSettings settings;
    private final ShuffleLoop loop;
    private final ChunkPool pool;
    private final MapSlot[] maps;
    private final ShuffleProgress progress;
    private final FetchPlanner planner;

    MapAttempts(
            final ShuffleSettings settings,
            final ShuffleLoop loop,
            final ChunkPool pool,
            final MapSlot[] maps,
            final ShuffleProgress progress,
            final FetchPlanner planner) {
        this.settings = settings;
        this.loop = loop;
        this.pool = pool;
        this.maps = maps;
        this.progress = progress;
        this.planner = planner;
    }

    /** Starts fetching a map from a source that does not rest. */
    void startNext(final MapSlot map) {
        if (map.isBegun() || map.abandoned || map.candidates.isEmpty()) {
            return;
        }
        final long now = loop.nowMillis();
        long wait = Long.MAX_VALUE;
        for (final MapSlot.Candidate candidate : map.candidates) {
            if (candidate.notBeforeMillis <= now) {
                start(map, candidate);
                return;
            }
            wait = Math.min(wait, candidate.notBeforeMillis - now);
        }
        loop.schedule(wait, () -> startNext(map));
    }

    private void start(final MapSlot map, final MapSlot.Candidate candidate) {
        add(map, candidate.attempt, candidate.node);
    }

    private void add(final MapSlot map, final TaskAttemptID attempt, final Node node) {
        final int run = map.fetches.size();
        final SegmentFetch fetch =
                new SegmentFetch(
                        map,
                        attempt,
                        settings.partition,
                        run,
                        node,
                        settings.chunkSize,
                        settings.forecastOrder);
        map.fetches.add(fetch);
        planner.enqueue(fetch);
    }

    /** The first run has told how many there are: fetches the others too. */
    void startOtherRuns(final SegmentFetch first) {
        while (first.map.fetches.size() < first.runs()) {
            add(first.map, first.attempt, first.node);
        }
    }

    /**
     * While merging: a map's incomplete fetches go on from another attempt, which was found to
     * begin with the same bytes.
     */
    void switchTo(final MapSlot map, final MapSlot.Candidate candidate) {
        for (final SegmentFetch fetch : map.incomplete().toList()) {
            planner.forget(fetch);
            fetch.drainArrived().forEach(chunk -> pool.giveBack(fetch.claim, chunk));
            final SegmentFetch next = fetch.succeededBy(candidate.attempt, candidate.node);
            map.fetches.set(fetch.id.run(), next);
            pool.demandAgain(
                    fetch.claim, settings.chunksFor(fetch.partLength() - fetch.delivered()));
            planner.enqueue(next);
        }
        planner.refill();
    }

    /** Lets a map's fetches go whose records nobody has seen. */
    void drop(final MapSlot map) {
        for (final SegmentFetch fetch : map.fetches) {
            fetch.dropped = true;
            for (final Chunk chunk : fetch.drain()) {
                pool.giveBack(fetch.claim, chunk);
            }
        }
        map.fetches.clear();
        map.claims.forEach(pool::restart);
        if (map.copied) {
            progress.copyLost(map);
        }
    }

    /** Drops a fetch; its map is fetched from scratch, from another source if there is one. */
    void restartAfter(final SegmentFetch fetch, final long delayMillis) {
        final MapSlot map = fetch.map;
        drop(map);
        for (final MapSlot.Candidate candidate : map.candidates) {
            if (candidate.attempt.equals(fetch.attempt)) {
                candidate.notBeforeMillis = loop.nowMillis() + delayMillis;
            }
        }
        startNext(map);
    }

    /** What was begun over a node's channel cannot be finished over HTTP. */
    void restartBegun(final Node node) {
        for (final MapSlot map : maps) {
            if (!map.isComplete()
                    && map.fetches.stream()
                            .anyMatch(fetch -> fetch.node == node && fetch.lengthsKnown())) {
                drop(map);
                startNext(map);
            }
        }
    }
}
