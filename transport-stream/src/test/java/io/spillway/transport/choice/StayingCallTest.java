// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.CallConformance;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import java.util.List;

/** The choosing transport calls as what it has chosen does. */
final class StayingCallTest extends CallConformance {
    @Override
    protected Node startNode(
            final SegmentSource source,
            final JobSecrets jobSecrets,
            final ServerSettings settings) {
        return new OfferingNode(source, jobSecrets, settings);
    }

    @Override
    protected Transport newTransport() {
        return new ChoosingTransport(
                new TcpTransport(name -> null), List.of(new SecondTransport()), name -> null);
    }
}
