// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

/** How soon a block is expected to be asked for; the later constants are the more urgent. */
enum Urgency {
    /** Of a partition whose reducer has not been seen yet. */
    LATER,
    /** The head of a segment that a running reducer will ask for. */
    SOON,
    /** Follows what a reducer has just been sent from memory. */
    NEXT,
    /** Follows what a reducer had to be sent from the file: read before all others. */
    MISSED;

    /** How a block that was read counts: a miss makes it come earlier, not stay longer. */
    Urgency whenRead() {
        return this == MISSED ? NEXT : this;
    }

    /**
     * Whether a range may be dropped when there is no room: the reducer asks again, sooner than the
     * room comes.
     */
    boolean isTransient() {
        return this == NEXT || this == MISSED;
    }
}
