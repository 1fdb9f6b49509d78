package io.spillway.node.placement.book;

import io.spillway.node.placement.message.NodeOrders;
import java.util.Locale;

/**
 * How a {@link PlacementBook} decides. Immutable.
 *
 * @param nodeTimeoutMillis a node that has not reported for so long is dead
 * @param jobExpiryMillis a job that no host has reported for so long has ended
 * @param leaseMillis a lease of an output that is not committed by then is taken back
 * @param reportIntervalMillis how often nodes report
 * @param jobShare of the capacity of all nodes, what the outputs of one job may take; 1 is all
 * @param userShare the same for all jobs of one user
 * @param highWater of a node's capacity, what leases may fill
 */
public record BookSettings(
        long nodeTimeoutMillis,
        long jobExpiryMillis,
        long leaseMillis,
        int reportIntervalMillis,
        double jobShare,
        double userShare,
        double highWater) {
    /** What suits a cluster of some thousand nodes. */
    public static final BookSettings DEFAULTS =
            new BookSettings(10_000, 60_000, 600_000, 1_000, 1.0, 1.0, 0.95);

    /** Checks the fields. */
    public BookSettings {
        if (nodeTimeoutMillis < 1 || jobExpiryMillis < 1 || leaseMillis < 1) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "nodeTimeoutMillis=%d jobExpiryMillis=%d leaseMillis=%d,"
                                    + " expected all above 0",
                            nodeTimeoutMillis,
                            jobExpiryMillis,
                            leaseMillis));
        }
        if (reportIntervalMillis < NodeOrders.MIN_INTERVAL_MILLIS
                || reportIntervalMillis > NodeOrders.MAX_INTERVAL_MILLIS) {
            throw new IllegalArgumentException(
                    String.format(
                            Locale.ROOT,
                            "reportIntervalMillis=%d, expected %d to %d",
                            reportIntervalMillis,
                            NodeOrders.MIN_INTERVAL_MILLIS,
                            NodeOrders.MAX_INTERVAL_MILLIS));
        }
        requireShare("jobShare", jobShare);
        requireShare("userShare", userShare);
        requireShare("highWater", highWater);
    }

    private static void requireShare(final String name, final double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException(
                    name + "=" + share + ", expected above 0 and at most 1");
        }
    }
}
