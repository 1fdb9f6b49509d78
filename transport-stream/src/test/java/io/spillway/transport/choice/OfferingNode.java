// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.TcpListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** A node on loopback that serves over tcp, and says where else it can be fetched from. */
final class OfferingNode implements TransportConformance.Node {
    private static final AtomicLong EPOCHS = new AtomicLong(1_700_000_000_456L);
    private static final String HOST = "127.0.0.1";

    final StreamServer server;
    private final long epoch = EPOCHS.getAndIncrement();
    private final TcpListener listener;
    private volatile List<TransportOffer> offers = List.of();

    OfferingNode(final SegmentSource source, final JobSecrets secrets) {
        this(source, secrets, ServerSettings.from(name -> null));
    }

    OfferingNode(
            final SegmentSource source, final JobSecrets secrets, final ServerSettings settings) {
        server = new StreamServer(source, secrets, settings, epoch, () -> offers);
        listener =
                TcpListener.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), server, 1);
    }

    void offer(final NodeAddress second) {
        offer(List.of(new TransportOffer(SecondTransport.NAME, second)));
    }

    void offer(final List<TransportOffer> others) {
        offers = List.copyOf(others);
    }

    @Override
    public NodeAddress address() {
        return new NodeAddress(HOST, listener.address().getPort());
    }

    @Override
    public long epoch() {
        return epoch;
    }

    @Override
    public void close() {
        server.close();
        listener.close();
    }
}
