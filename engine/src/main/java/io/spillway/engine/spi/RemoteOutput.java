// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.spi;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.MapOutputPlaces;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OpaqueId;
import io.spillway.transport.SegmentPlace;
import java.util.List;

/**
 * The nodes that take the output of one map. The engine closes their channels. Immutable.
 *
 * @param output the name that reducers will ask for: an {@link OpaqueId}, another one for each
 *     attempt of a map
 * @param copies a channel to each node; every node is to hold the whole output
 * @param connector opens another channel to one of them, where an answer was lost
 */
public record RemoteOutput(String output, List<Channel> copies, Connector connector)
        implements AutoCloseable {
    /** Opens channels. */
    @FunctionalInterface
    public interface Connector {
        /** A channel to a node, the caller's to close. */
        Channel open(NodeAddress node) throws FetchException;
    }

    /** The most nodes that hold one output. */
    public static final int MAX_COPIES = MapOutputPlaces.MAX_COUNT;

    /**
     * Checks the fields and copies the list.
     *
     * @throws IllegalArgumentException for a wrong name, no node or too many
     */
    public RemoteOutput {
        OpaqueId.require("output", output);
        copies = List.copyOf(copies);
        if (copies.isEmpty() || copies.size() > MAX_COPIES) {
            throw new IllegalArgumentException(
                    "copies=" + copies.size() + " of " + output + ", expected 1 to " + MAX_COPIES);
        }
    }

    /** The most segments of an output that every node takes. */
    public int maxSegments() {
        return copies.stream().mapToInt(Channel::maxSegments).min().orElseThrow();
    }

    /** Where reducers find the output once it is committed, as it is now. */
    public List<SegmentPlace> places() {
        return copies.stream().map(node -> new SegmentPlace(node.address(), node.epoch())).toList();
    }

    /** Closes the channels. Idempotent. */
    @Override
    public void close() {
        copies.forEach(Channel::close);
    }
}
