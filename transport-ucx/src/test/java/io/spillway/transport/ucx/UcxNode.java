// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.SegmentServer;

/** A node that serves over ucx. */
record UcxNode(SegmentServer server, long epoch) implements TransportConformance.Node {
    @Override
    public NodeAddress address() {
        return server.address();
    }

    @Override
    public void close() {
        server.close();
        assertThat(server.stats().connections()).isZero();
    }
}
