// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.tier;

import io.spillway.store.SpillStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * In which order a chain's tiers are tried for a spill. Their own order holds unless a tier has
 * become slow, which is said in absolute figures: what writes to a disk seem to take is the page
 * cache's time, and on a busy machine any two measurements differ. A later tier that takes writes
 * {@value #TIMES_FASTER} times as fast as a slow one goes first, and so does, once, one whose speed
 * is not known. A tier that was passed over gets every {@value #PROBE_EVERY}th spill, for it may
 * have recovered. Thread-safe.
 */
public final class TierSelection {
    /** Less would follow the noise of busy machines. */
    static final int TIMES_FASTER = 4;

    static final int PROBE_EVERY = 8;

    private final WriteSpeeds speeds;
    private final double slow;
    private final boolean bySpeed;
    private int passedOver;

    private TierSelection(final WriteSpeeds speeds, final double slow, final boolean bySpeed) {
        this.speeds = Objects.requireNonNull(speeds, "speeds");
        this.slow = slow;
        this.bySpeed = bySpeed;
    }

    /** The chain's own order, always. Speeds are measured all the same. */
    public static TierSelection inOrder(final WriteSpeeds speeds) {
        return new TierSelection(speeds, 0, false);
    }

    /**
     * By measured speed.
     *
     * @param slow a tier is slow below so many bytes a second
     */
    public static TierSelection bySpeed(final WriteSpeeds speeds, final double slow) {
        return new TierSelection(speeds, slow, true);
    }

    /** Where measurements go. */
    WriteSpeeds speeds() {
        return speeds;
    }

    /** The stores in the order to try for the next spill. */
    List<SpillStore> order(final List<SpillStore> chain) {
        final int first = bySpeed ? first(chain) : 0;
        if (first == 0) {
            return chain;
        }
        final List<SpillStore> order = new ArrayList<>(chain);
        order.add(0, order.remove(first));
        return order;
    }

    private synchronized int first(final List<SpillStore> chain) {
        int best = 0;
        for (int i = 1; i < chain.size(); i++) {
            final OptionalDouble ofBest = speeds.of(chain.get(best).name());
            if (ofBest.isEmpty() || ofBest.getAsDouble() >= slow) {
                break;
            }
            final OptionalDouble other = speeds.of(chain.get(i).name());
            if (other.isEmpty()) {
                return i;
            }
            if (other.getAsDouble() > TIMES_FASTER * ofBest.getAsDouble()) {
                best = i;
            }
        }
        return best > 0 && ++passedOver % PROBE_EVERY == 0 ? 0 : best;
    }
}
