// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.transport.SegmentPlaces;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/**
 * Knows where outputs are that were put to other nodes, when the node that would send reducers on
 * cannot be reached.
 */
@FunctionalInterface
public interface OutputPlaces {
    /** Knows of none. */
    OutputPlaces NONE = outputs -> Map.of();

    /** The most outputs of one question. */
    int MOST = 1000;

    /**
     * Asks for the places of outputs. Blocks for some seconds at most; called by one thread at a
     * time.
     *
     * @param outputs their names, at most {@value #MOST}
     * @return the nodes that each of those outputs is held by that are held at all
     * @throws IOException where the answer cannot be had
     */
    Map<String, SegmentPlaces> locate(List<String> outputs)
            throws IOException, InterruptedException;
}
