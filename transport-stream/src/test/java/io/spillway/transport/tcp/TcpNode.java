// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.TcpListener;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** A node with a port of its own, on loopback. */
final class TcpNode implements TransportConformance.Node {
    private static final long EPOCH = 1_700_000_000_123L;

    private final StreamServer server;
    private final TcpListener listener;

    TcpNode(final SegmentSource source, final JobSecrets secrets, final ServerSettings settings) {
        this(source, secrets, settings, DirectMemory.SYSTEM);
    }

    TcpNode(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final DirectMemory memory) {
        this(0, source, secrets, settings, memory);
    }

    TcpNode(
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings) {
        this(port, source, secrets, settings, DirectMemory.SYSTEM);
    }

    private TcpNode(
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final DirectMemory memory) {
        server = new StreamServer(source, secrets, settings, EPOCH);
        final InetSocketAddress own = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        listener = TcpListener.bind(own, server, 2, memory);
    }

    StreamServer server() {
        return server;
    }

    @Override
    public NodeAddress address() {
        return new NodeAddress("127.0.0.1", listener.address().getPort());
    }

    @Override
    public long epoch() {
        return EPOCH;
    }

    @Override
    public void close() {
        server.close();
        listener.close();
    }
}
