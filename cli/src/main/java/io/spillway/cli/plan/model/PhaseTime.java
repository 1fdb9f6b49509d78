// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import java.util.EnumMap;
import java.util.Map;

/**
 * What a phase takes: the slowest of what works side by side, and the starts of its tasks. In
 * seconds. Immutable.
 *
 * @param name of the phase
 * @param startSeconds to start tasks
 * @param seconds that each resource is busy
 */
public record PhaseTime(String name, double startSeconds, Map<Bottleneck, Double> seconds) {
    /** Copies what is mutable. */
    public PhaseTime {
        seconds = Map.copyOf(seconds);
    }

    /** What the phase takes. */
    public double total() {
        return startSeconds + busiest();
    }

    /** What bounds the phase: the busiest resource, or the starts where they take longer. */
    public Bottleneck bottleneck() {
        final Bottleneck first = first();
        return startSeconds > seconds.getOrDefault(first, 0.0) ? Bottleneck.STARTS : first;
    }

    private double busiest() {
        return seconds.getOrDefault(first(), 0.0);
    }

    private Bottleneck first() {
        Bottleneck first = Bottleneck.CPU;
        for (final Map.Entry<Bottleneck, Double> entry :
                new EnumMap<>(seconds.isEmpty() ? Map.of(first, 0.0) : seconds).entrySet()) {
            if (entry.getValue() > seconds.getOrDefault(first, 0.0)) {
                first = entry.getKey();
            }
        }
        return first;
    }
}
