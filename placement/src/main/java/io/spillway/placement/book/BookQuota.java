// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.book;

import io.spillway.conf.Setting;
import io.spillway.placement.conf.PlacementKeys;
import io.spillway.placement.status.ServiceFigures;
import java.util.Optional;
import java.util.function.Function;

/**
 * What one job, or one user, may take of the memory of all nodes. Immutable.
 *
 * @param share of the capacity of all nodes that live; 1 is all
 * @param bytes at most so many besides, {@link ServiceFigures#UNLIMITED} for any number
 */
public record BookQuota(double share, long bytes) {
    /** What one node may have of a job's outputs, in shares. */
    private static final int UNEVEN = 2;

    /** Everything. */
    public static final BookQuota ALL = new BookQuota(1, ServiceFigures.UNLIMITED);

    /** Checks the fields. */
    public BookQuota {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException(
                    "share=" + share + ", expected above 0 and at most 1");
        }
        if (bytes < 0 || bytes > ServiceFigures.UNLIMITED) {
            throw new IllegalArgumentException(
                    "bytes=" + bytes + ", expected 0 to " + ServiceFigures.UNLIMITED);
        }
    }

    /** Of the settings of jobs. */
    static BookQuota ofJob(final Function<String, String> lookup) {
        return of(PlacementKeys.PLACEMENT_JOB_PERCENT, PlacementKeys.PLACEMENT_JOB_BYTES, lookup);
    }

    /** Of the settings of users. */
    static BookQuota ofUser(final Function<String, String> lookup) {
        return of(PlacementKeys.PLACEMENT_USER_PERCENT, PlacementKeys.PLACEMENT_USER_BYTES, lookup);
    }

    private static BookQuota of(
            final Setting<Double> share,
            final Setting<Optional<Long>> bytes,
            final Function<String, String> lookup) {
        return new BookQuota(share.get(lookup), bytes.get(lookup).orElse(ServiceFigures.UNLIMITED));
    }

    /** In bytes, where all nodes have this capacity; {@link ServiceFigures#UNLIMITED} for none. */
    long limit(final long capacity) {
        return share == 1 ? bytes : Math.min(bytes, (long) (share * capacity));
    }

    /**
     * What a job may take at one node of this capacity, whatever was leased: twice its share there,
     * for leases do not spread evenly; {@link ServiceFigures#UNLIMITED} for no limit.
     */
    public long limitAtNode(final long capacity) {
        return share >= 1.0 / UNEVEN ? bytes : limit(UNEVEN * capacity);
    }
}
