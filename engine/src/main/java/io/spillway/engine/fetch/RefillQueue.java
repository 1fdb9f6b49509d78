package io.spillway.engine.fetch;

import io.spillway.engine.segment.KeyForecast;
import io.spillway.engine.segment.SegmentFetch;
import java.util.Comparator;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Which stream the merge will use up first, of those that have more to fetch: the one to refill
 * next. Owned by the loop's thread.
 *
 * <p>Where keys can be read, their forecast decides ({@link KeyForecast}). Elsewhere (compressed
 * segments, comparators of unknown byte order) the pace decides at which the merge has taken each
 * stream's chunks.
 */
final class RefillQueue {
    /** Entries looked at for one chunk; a node that takes no more requests may hold the first. */
    private static final int LOOKED_AT = 32;

    private final TreeSet<SegmentFetch> streams =
            new TreeSet<>(
                    Comparator.<SegmentFetch>comparingDouble(fetch -> fetch.schedule.refillKey())
                            .thenComparingInt(fetch -> fetch.number));

    /** The chunks that the merge has taken and given back, of all streams. */
    private long consumed;

    /** Puts a stream where it belongs now, or out when it has nothing more to fetch. */
    void update(final SegmentFetch fetch) {
        remove(fetch);
        if (fetch.wantsMore()) {
            fetch.schedule.enterRefill(keyOf(fetch));
            streams.add(fetch);
        }
    }

    private double keyOf(final SegmentFetch fetch) {
        final KeyForecast forecast = fetch.forecast;
        return forecast == null
                ? fetch.schedule.rate.emptyAt(consumed, fetch.claim.held())
                : forecast.keyAt(fetch.requestedBytes());
    }

    /** Takes a stream out. */
    void remove(final SegmentFetch fetch) {
        if (fetch.schedule.isInRefill()) {
            streams.remove(fetch);
            fetch.schedule.leaveRefill();
        }
    }

    /** The merge has given a chunk of a stream back. */
    void consumed(final SegmentFetch fetch) {
        consumed++;
        fetch.schedule.rate.consumed(consumed);
    }

    /** The stream to refill next among those that {@code usable} accepts, or null. */
    SegmentFetch next(final Predicate<SegmentFetch> usable) {
        // Paces change while nothing happens to a stream: those in front are put where they belong.
        front().filter(fetch -> fetch.forecast == null).toList().forEach(this::update);
        return front().filter(usable).findFirst().orElse(null);
    }

    private Stream<SegmentFetch> front() {
        return streams.stream().limit(LOOKED_AT);
    }
}
