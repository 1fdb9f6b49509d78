// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

/**
 * Where the planner keeps one fetch: in its node's queue, among those that lack memory, or among
 * the streams to refill. Owned by the loop's thread.
 */
public final class FetchSchedule {
    /** How fast the merge takes its chunks. */
    public final ConsumptionRate rate = new ConsumptionRate();

    private boolean queued;
    private boolean starved;
    private boolean inRefill;
    private double refillKey;

    /** It enters its node's queue. */
    public void enqueue() {
        queued = changed(queued, true, "queued");
    }

    /** It leaves its node's queue, if it is there. */
    public void dequeue() {
        queued = false;
    }

    /** Whether it waits in its node's queue. */
    public boolean isQueued() {
        return queued;
    }

    /** It enters the list of fetches that lack memory. */
    public void starve() {
        starved = changed(starved, true, "starved");
    }

    /** It leaves the list of fetches that lack memory. */
    public void endStarving() {
        starved = changed(starved, false, "starved");
    }

    /** Whether it waits for memory. */
    public boolean isStarved() {
        return starved;
    }

    /**
     * It enters the streams to refill.
     *
     * @param key when the merge will have used it up; fixed as long as it is there
     */
    public void enterRefill(final double key) {
        inRefill = changed(inRefill, true, "inRefill");
        refillKey = key;
    }

    /** It leaves the streams to refill. */
    public void leaveRefill() {
        inRefill = changed(inRefill, false, "inRefill");
    }

    /** Whether it is among the streams to refill. */
    public boolean isInRefill() {
        return inRefill;
    }

    /** Where it stands among the streams to refill. */
    public double refillKey() {
        return refillKey;
    }

    private static boolean changed(final boolean from, final boolean to, final String name) {
        if (from == to) {
            throw new IllegalStateException(name + "=" + from + ", expected " + !to);
        }
        return to;
    }
}
