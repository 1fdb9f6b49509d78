package io.spillway.node;

import io.spillway.transport.SegmentPlace;

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
     * @param place the first of them, to which requests are sent on
     */
    record Elsewhere(SegmentPlace place) implements OutputFinding {}
}
