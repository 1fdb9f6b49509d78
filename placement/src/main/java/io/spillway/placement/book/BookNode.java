// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.message.NodeIdentity;
import io.spillway.placement.message.NodeSpace;
import io.spillway.placement.message.ReportPart;
import java.util.Set;

/** One incarnation of a node, and its places. Guarded by the book. */
final class BookNode {
    private final NodeIdentity identity;
    private final NodeShare memory;
    private final NodeShare overflow;
    private NodeSpace space = new NodeSpace(false, 0, 0);
    private long seenNanos;
    private long applied;
    private int outputs;
    private BookPlace first;

    /** The number of its list of outputs: places with another one were not in the last list. */
    private int listing;

    private int nextPart;
    private boolean listed;
    private final HostJobs hostJobs;
    private boolean former;

    /**
     * Creates one without places.
     *
     * @param known jobs of its host that it has reported before it was silent
     */
    BookNode(final NodeIdentity identity, final double highWater, final Set<String> known) {
        this.identity = identity;
        this.hostJobs = new HostJobs(known);
        this.memory = new NodeShare(this, false, highWater);
        this.overflow = new NodeShare(this, true, highWater);
    }

    NodeIdentity identity() {
        return identity;
    }

    /** Whether its last report was one of the former release. */
    boolean isFormer() {
        return former;
    }

    void former(final boolean isFormer) {
        former = isFormer;
    }

    /** It has reported. */
    void reported(final NodeSpace reported, final long appliedVersion, final long now) {
        space = reported;
        applied = appliedVersion;
        seenNanos = now;
    }

    NodeSpace space() {
        return space;
    }

    /** The version of the table of jobs that it has applied. */
    long applied() {
        return applied;
    }

    long silentNanos(final long now) {
        return now - seenNanos;
    }

    /** Its memory for outputs. */
    NodeShare memory() {
        return memory;
    }

    /** Its files for outputs that memory has no room for. */
    NodeShare overflow() {
        return overflow;
    }

    /** Bytes of leases whose outputs it has not reported. */
    long leased() {
        return memory.leased() + overflow.leased();
    }

    /** The outputs that it holds. */
    int outputs() {
        return outputs;
    }

    void held(final int difference) {
        outputs += difference;
    }

    /** The jobs of its host. */
    HostJobs hostJobs() {
        return hostJobs;
    }

    // ---- its list of outputs -------------------------------------------------------------------

    /** Whether it has told all that it holds. */
    boolean isListed() {
        return listed;
    }

    int listing() {
        return listing;
    }

    /** Whether a part of a report may follow what has been reported; a first one begins a list. */
    boolean accepts(final ReportPart part) {
        if (!part.isListing()) {
            return listed && nextPart == 0;
        }
        if (part.number() == 0) {
            listing++;
            return true;
        }
        return part.number() == nextPart;
    }

    /** A part was accepted or not; whether it was the last one of a list. */
    boolean ended(final ReportPart part, final boolean accepted) {
        nextPart = accepted && part.isListing() && part.more() ? part.number() + 1 : 0;
        final boolean isLast = accepted && part.isListing() && !part.more();
        listed = isLast || (listed && accepted);
        return isLast;
    }

    // ---- its places ----------------------------------------------------------------------------

    BookPlace first() {
        return first;
    }

    void add(final BookPlace place) {
        place.nextOfNode(first);
        if (first != null) {
            first.previousOfNode(place);
        }
        first = place;
    }

    void remove(final BookPlace place) {
        final BookPlace next = place.nextOfNode();
        final BookPlace previous = place.previousOfNode();
        if (next != null) {
            next.previousOfNode(previous);
        }
        if (previous == null) {
            first = next;
        } else {
            previous.nextOfNode(next);
        }
    }
}
