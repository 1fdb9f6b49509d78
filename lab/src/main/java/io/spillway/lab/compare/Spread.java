// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare;

import java.util.Arrays;
import java.util.Collection;

/**
 * The middle and the ends of some measurements.
 *
 * @param median the middle one, or the mean of the two in the middle
 * @param min the smallest
 * @param max the largest
 */
public record Spread(double median, double min, double max) {
    /** Of at least one measurement. */
    public static Spread of(final Collection<? extends Number> values) {
        if (values.isEmpty()) {
            throw new IllegalArgumentException("values=[]: expected at least one");
        }
        final double[] sorted = values.stream().mapToDouble(Number::doubleValue).toArray();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median =
                sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }
}
