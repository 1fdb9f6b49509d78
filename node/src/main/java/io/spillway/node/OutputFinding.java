// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import io.spillway.transport.SegmentPlaces;

/** Where a run of a map output is, as its map has left word. */
sealed interface OutputFinding {
    /**
     * In files of this host.
     *
     * @param runs of how many runs the map output is
     * @param data the name of the run's data file
     * @param index the name of its index
     */
    record Here(int runs, String data, String index) implements OutputFinding {}

    /**
     * In the memory of other nodes.
     *
     * @param places to which requests are sent on
     */
    record Elsewhere(SegmentPlaces places) implements OutputFinding {}
}
