// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The choosing transport where it takes another one is as good as that one. */
final class TakenTransportTest extends TransportConformance {
    private final SecondTransport second = new SecondTransport();

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        final OfferingNode node = new OfferingNode(source, jobSecrets);
        final SecondTransport.SecondServer server =
                second.newServer("127.0.0.1", 0, source, jobSecrets, name -> null, 7);
        node.offer(server.address());
        return new BothNode(node, server);
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        final Map<String, String> all = new HashMap<>(settings);
        all.put("spillway.transport", SecondTransport.NAME);
        return new ChoosingTransport(new TcpTransport(all::get), List.of(second), all::get);
    }

    private record BothNode(OfferingNode node, SecondTransport.SecondServer second)
            implements Node {
        @Override
        public NodeAddress address() {
            return node.address();
        }

        @Override
        public long epoch() {
            return node.epoch();
        }

        @Override
        public void close() {
            node.close();
            second.close();
        }
    }
}
