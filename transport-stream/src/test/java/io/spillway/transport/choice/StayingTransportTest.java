// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import java.util.List;
import java.util.Map;

/** The choosing transport where it stays on tcp is as good as tcp. */
final class StayingTransportTest extends TransportConformance {
    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        return new OfferingNode(source, jobSecrets);
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        return new ChoosingTransport(
                new TcpTransport(settings::get), List.of(new SecondTransport()), settings::get);
    }
}
