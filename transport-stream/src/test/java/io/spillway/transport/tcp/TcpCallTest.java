// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.CallConformance;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;

final class TcpCallTest extends CallConformance {
    @Override
    protected Node startNode(
            final SegmentSource source,
            final JobSecrets jobSecrets,
            final ServerSettings settings) {
        return new TcpNode(source, jobSecrets, settings);
    }

    @Override
    protected Transport newTransport() {
        return new TcpTransport(name -> null);
    }
}
