package io.spillway.hadoop.reduce;

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
        if (map.current != null || map.abandoned || map.candidates.isEmpty()) {
            return;
        }
        final long now = ShuffleLoop.nowMillis();
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
        map.current =
                new SegmentFetch(
                        map,
                        candidate.attempt,
                        settings.partition,
                        candidate.node,
                        settings.chunkSize);
        planner.enqueue(map.current);
    }

    /** Lets a map's fetch go whose records nobody has seen. */
    void drop(final MapSlot map) {
        final SegmentFetch fetch = map.current;
        fetch.dropped = true;
        map.current = null;
        for (final Chunk chunk : fetch.drain()) {
            pool.giveBack(map.claim, chunk);
        }
        pool.restart(map.claim);
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
                candidate.notBeforeMillis = ShuffleLoop.nowMillis() + delayMillis;
            }
        }
        startNext(map);
    }

    /** What was begun over a node's channel cannot be finished over HTTP. */
    void restartBegun(final Node node) {
        for (final MapSlot map : maps) {
            final SegmentFetch fetch = map.current;
            if (fetch != null && fetch.node == node && !fetch.complete && fetch.lengthsKnown()) {
                drop(map);
                startNext(map);
            }
        }
    }
}
