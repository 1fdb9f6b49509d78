// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import io.spillway.engine.settings.WindowLength;

/** One owner's part of a {@link ChunkPool}. Its state is the pool's. */
public final class Claim {
    /** The chunks set aside for each stream: one being consumed, one being fetched. */
    static final int WINDOW = WindowLength.WINDOWS;

    /** The chunks of a segment of which only the beginning is fetched while maps run. */
    static final int HEAD = 1;

    /** The demand of a claim whose segment's length is not known yet. */
    static final int UNKNOWN = Integer.MAX_VALUE;

    int held;
    int demand;

    /** May be taken, and is set aside. */
    int quota;

    /** Is set aside, whether it may be taken now or not. */
    int floor;

    /** From here on nothing beyond the demand is set aside. */
    boolean settled;

    /** Demand that counts once chunks come back which requests in flight still hold. */
    int deferred;

    private Claim(final int demand, final int quota, final int floor, final boolean settled) {
        this.demand = demand;
        this.quota = quota;
        this.floor = floor;
        this.settled = settled;
    }

    /** The claim of a stream of unknown length. */
    static Claim ofStream() {
        return new Claim(UNKNOWN, HEAD, WINDOW, false);
    }

    /** A claim for which nothing is set aside. */
    static Claim withoutReserve() {
        return new Claim(0, 0, 0, true);
    }

    /** The chunks set aside for it. */
    int reserve() {
        final int lacking = Math.max(0, Math.max(quota, floor) - held);
        return settled ? Math.min(lacking, demand) : lacking;
    }

    /** The chunks it has out of the pool. */
    public int held() {
        return held;
    }

    /** The chunks still to be taken, or {@link #UNKNOWN}. */
    public int demand() {
        return demand;
    }
}
