// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.KeyForecast;
import io.spillway.engine.reduce.segment.SegmentFetch;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.function.Predicate;

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

    private final TreeSet<SegmentFetch> streams = new TreeSet<>(RefillQueue::compare);

    /** Those in front whose place depends on their pace; empty between calls. */
    private final List<SegmentFetch> paced = new ArrayList<>(LOOKED_AT);

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
        updatePaces();
        int looked = 0;
        for (final SegmentFetch fetch : streams) {
            if (usable.test(fetch)) {
                return fetch;
            }
            looked++;
            if (looked == LOOKED_AT) {
                return null;
            }
        }
        return null;
    }

    /**
     * Paces change while nothing happens to a stream: those in front are put where they belong.
     * Called for each chunk, so it uses one list again and again.
     */
    private void updatePaces() {
        int looked = 0;
        for (final SegmentFetch fetch : streams) {
            if (fetch.forecast == null) {
                paced.add(fetch);
            }
            looked++;
            if (looked == LOOKED_AT) {
                break;
            }
        }
        for (final SegmentFetch fetch : paced) {
            update(fetch);
        }
        paced.clear();
    }

    private static int compare(final SegmentFetch one, final SegmentFetch other) {
        final int byKey = Double.compare(one.schedule.refillKey(), other.schedule.refillKey());
        return byKey == 0 ? Integer.compare(one.number, other.number) : byKey;
    }
}
