// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.message.NodeOrders;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Function;

/**
 * How a {@link PlacementBook} decides. Immutable.
 *
 * @param nodeTimeoutMillis a node that has not reported for so long is dead
 * @param jobExpiryMillis a job of silent hosts is given up after so long
 * @param leaseMillis a lease of an output that is not committed by then is taken back
 * @param reportIntervalMillis how often nodes report
 * @param ofJob what the outputs of one job may take
 * @param ofUser the same for all jobs of one user
 * @param highWater of a node's capacity, what leases may fill
 */
public record BookSettings(
        long nodeTimeoutMillis,
        long jobExpiryMillis,
        long leaseMillis,
        int reportIntervalMillis,
        BookQuota ofJob,
        BookQuota ofUser,
        double highWater) {
    /** What suits a cluster of some thousand nodes. */
    public static final BookSettings DEFAULTS =
            new BookSettings(10_000, 900_000, 600_000, 1_000, BookQuota.ALL, BookQuota.ALL, 0.95);

    /** In a minute a node process starts again and learns its host's jobs. */
    private static final long MAX_SETTLE_MILLIS = 60_000;

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
        Objects.requireNonNull(ofJob, "ofJob");
        Objects.requireNonNull(ofUser, "ofUser");
        if (!(highWater > 0 && highWater <= 1)) {
            throw new IllegalArgumentException(
                    "highWater=" + highWater + ", expected above 0 and at most 1");
        }
    }

    /**
     * The defaults with what is set of the quotas, and of when jobs expire.
     *
     * @throws io.spillway.conf.InvalidSettingException for a wrong value
     */
    public static BookSettings from(final Function<String, String> lookup) {
        return new BookSettings(
                DEFAULTS.nodeTimeoutMillis,
                PlacementKeys.PLACEMENT_JOB_EXPIRY.get(lookup),
                DEFAULTS.leaseMillis,
                DEFAULTS.reportIntervalMillis,
                BookQuota.ofJob(lookup),
                BookQuota.ofUser(lookup),
                DEFAULTS.highWater);
    }

    /** After so long without a change, each host has had its time to report what it has. */
    long settleMillis() {
        return Math.min(MAX_SETTLE_MILLIS, jobExpiryMillis);
    }

    /** These with other quotas. */
    BookSettings withQuotas(final BookQuota job, final BookQuota user) {
        return new BookSettings(
                nodeTimeoutMillis,
                jobExpiryMillis,
                leaseMillis,
                reportIntervalMillis,
                job,
                user,
                highWater);
    }
}
