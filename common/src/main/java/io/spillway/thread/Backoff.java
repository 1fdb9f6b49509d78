// SPDX-License-Identifier: Apache-2.0
package io.spillway.thread;

/**
 * How long to rest before something that has failed is tried again: longer each time, up to a
 * bound. Times are in one unit, any. Immutable.
 *
 * @param first the rest after the first failure
 * @param most no rest is longer
 * @param growth by what factor a rest is longer than the one before
 */
public record Backoff(long first, long most, double growth) {
    /** Checks its arguments. */
    public Backoff {
        if (first < 0 || most < first || !(growth >= 1)) {
            throw new IllegalArgumentException(
                    "first="
                            + first
                            + " most="
                            + most
                            + " growth="
                            + growth
                            + ", expected 0 <= first <= most and growth >= 1");
        }
    }

    /** Twice as long each time. */
    public static Backoff doubling(final long first, final long most) {
        return new Backoff(first, most, 2);
    }

    /**
     * The rest after failures in a row.
     *
     * @param failures 1 or more; less counts as 1
     */
    public long after(final int failures) {
        return (long) Math.min((double) most, first * Math.pow(growth, Math.max(0, failures - 1)));
    }
}
