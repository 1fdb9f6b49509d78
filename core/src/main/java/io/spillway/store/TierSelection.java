package io.spillway.store;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * In which order a chain's tiers are tried for a spill. Their own order holds unless a tier has
 * become slow: a later one that takes writes {@value #TIMES_FASTER} times as fast goes first. When
 * a tier is slow and nobody knows how fast a later one is, one spill goes there as a probe; a tier
 * that was passed over gets every {@value #PROBE_EVERY}th spill, for it may have recovered. So a
 * tier that does well is never left for a measurement's sake. Thread-safe.
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
     * @param slow below so many bytes a second, tiers that were never measured are tried
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
            if (ofBest.isEmpty()) {
                return best;
            }
            final OptionalDouble other = speeds.of(chain.get(i).name());
            if (other.isEmpty() && ofBest.getAsDouble() < slow) {
                return i;
            }
            if (other.isPresent() && other.getAsDouble() > TIMES_FASTER * ofBest.getAsDouble()) {
                best = i;
            }
        }
        return best > 0 && ++passedOver % PROBE_EVERY == 0 ? 0 : best;
    }
}
