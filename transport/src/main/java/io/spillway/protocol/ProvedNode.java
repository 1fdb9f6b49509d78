// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.wire.WelcomeFrame;
import java.util.List;

/**
 * What a client knows of a node to which it has a proved connection. Immutable.
 *
 * @param address where the node was reached
 * @param epoch the node's incarnation
 * @param version of the protocol that both sides speak
 * @param offers the other ways in which the node can be fetched from
 * @param limits what the node allows
 */
public record ProvedNode(
        NodeAddress address,
        long epoch,
        int version,
        List<TransportOffer> offers,
        WelcomeFrame limits) {
    /** What the last frame of a hand-shake says. */
    public static ProvedNode of(
            final NodeAddress address,
            final long epoch,
            final int version,
            final WelcomeFrame welcome) {
        return new ProvedNode(
                address, epoch, version, TransportOffer.parse(welcome.transports()), welcome);
    }
}
