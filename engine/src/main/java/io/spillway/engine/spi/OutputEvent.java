// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.transport.NodeAddress;

/** What has become of a map's output. Immutable. */
public sealed interface OutputEvent {
    /** The output; its map's number may be one that the task does not have. */
    OutputId output();

    /**
     * The output can be fetched.
     *
     * @param node the address of the node that serves it
     * @param baseUrl where the node answers in the framework's own way; opaque to the engine
     * @param ranMillis how long the map has run
     */
    record Ready(OutputId output, NodeAddress node, String baseUrl, long ranMillis)
            implements OutputEvent {}

    /** The output is not to be fetched any more. Another one of the same map may come. */
    record Withdrawn(OutputId output) implements OutputEvent {}

    /** The map has failed for good, and the job goes on without it. */
    record Abandoned(OutputId output) implements OutputEvent {}
}
