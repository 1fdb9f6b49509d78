// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.status;

import io.spillway.frame.FrameReader;
import io.spillway.frame.FrameWriter;
import io.spillway.frame.MalformedFrameException;
import io.spillway.placement.message.NodeOrders;
import io.spillway.placement.message.NodeSpace;
import java.util.EnumMap;
import java.util.Map;

/**
 * How the placement service decides, and what it has decided since its start. Immutable.
 *
 * @param settled whether the hosts have had their time to report since the start
 * @param intervalMillis how often nodes report
 * @param highWater of a node's capacity, what outputs and leases may fill
 * @param jobLimit bytes that one job may take now, {@link #UNLIMITED} without a quota
 * @param userLimit the same for all jobs of a user
 * @param leases places that are leased now, and not held yet
 * @param granted places leased since the start
 * @param refused places asked for since the start that were not granted, by each cause
 */
public record ServiceFigures(
        boolean settled,
        int intervalMillis,
        double highWater,
        long jobLimit,
        long userLimit,
        long leases,
        long granted,
        Map<LeaseRefusal, Long> refused) {
    /** A limit that is none. */
    public static final long UNLIMITED = NodeSpace.MAX_BYTES;

    private static final int PARTS_OF_WATER = 1_000_000;

    /** Copies the map; a cause that it does not have counts 0. */
    public ServiceFigures {
        final Map<LeaseRefusal, Long> all = new EnumMap<>(LeaseRefusal.class);
        for (final LeaseRefusal cause : LeaseRefusal.values()) {
            all.put(cause, refused.getOrDefault(cause, 0L));
        }
        refused = Map.copyOf(all);
    }

    /** Places that were not granted, whatever the cause. */
    public long refusedInAll() {
        return refused.values().stream().mapToLong(Long::longValue).sum();
    }

    void encode(final FrameWriter out) {
        out.flag(settled).int32(intervalMillis);
        out.int32((int) Math.round(highWater * PARTS_OF_WATER));
        out.int64(jobLimit).int64(userLimit).int64(leases).int64(granted);
        for (final LeaseRefusal cause : LeaseRefusal.values()) {
            out.int64(refused.get(cause));
        }
    }

    static ServiceFigures decode(final FrameReader in) throws MalformedFrameException {
        final boolean settled = in.flag("settled");
        final int interval =
                in.int32(
                        "intervalMillis",
                        NodeOrders.MIN_INTERVAL_MILLIS,
                        NodeOrders.MAX_INTERVAL_MILLIS);
        final double highWater = (double) in.int32("highWater", 0, PARTS_OF_WATER) / PARTS_OF_WATER;
        final long jobLimit = in.int64("jobLimit", 0, NodeSpace.MAX_BYTES);
        final long userLimit = in.int64("userLimit", 0, NodeSpace.MAX_BYTES);
        final long leases = in.int64("leases", 0);
        final long granted = in.int64("granted", 0);
        final Map<LeaseRefusal, Long> refused = new EnumMap<>(LeaseRefusal.class);
        for (final LeaseRefusal cause : LeaseRefusal.values()) {
            refused.put(cause, in.int64("refused " + cause, 0));
        }
        return new ServiceFigures(
                settled, interval, highWater, jobLimit, userLimit, leases, granted, refused);
    }
}
