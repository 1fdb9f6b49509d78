// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.model;

import io.spillway.conf.Placement;
import java.util.List;

/**
 * What a job takes with some memory nodes and a placement. Immutable.
 *
 * @param memoryNodes hosts that only store
 * @param computing hosts that run tasks
 * @param placement of map outputs
 * @param layout where they lie
 * @param seconds from the submission to the end; infinite where outputs do not fit
 * @param phases the job's start, its maps, what is left of shuffle and reduce
 */
public record Forecast(
        int memoryNodes,
        int computing,
        Placement placement,
        OutputLayout layout,
        double seconds,
        List<PhaseTime> phases) {
    /** Copies what is mutable. */
    public Forecast {
        phases = List.copyOf(phases);
    }

    /** What bounds the phase that takes longest. */
    public Bottleneck bottleneck() {
        if (!layout.fits()) {
            return Bottleneck.ROOM;
        }
        PhaseTime longest = phases.get(0);
        for (final PhaseTime phase : phases) {
            if (phase.total() > longest.total()) {
                longest = phase;
            }
        }
        return longest.bottleneck();
    }
}
