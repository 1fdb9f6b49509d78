// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp.server;

import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.ServerStats;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Set;

/** A {@link StreamServer} with a port of its own. Thread-safe. */
public final class TcpNodeServer implements SegmentServer {
    private static final int THREADS = 2;

    private final StreamServer server;
    private final TcpListener listener;
    private final NodeAddress address;

    private TcpNodeServer(
            final StreamServer server, final TcpListener listener, final NodeAddress address) {
        this.server = server;
        this.listener = listener;
        this.address = address;
    }

    /**
     * Listens; closes {@code server} when it cannot.
     *
     * @param host the address to listen at, and to be reached at
     * @param port 0 for any free one
     * @param server serves what is accepted; closed with this object
     * @throws IOException for an unknown host, or a port that is taken
     */
    public static TcpNodeServer start(final String host, final int port, final StreamServer server)
            throws IOException {
        return start(host, port, server, DirectMemory.SYSTEM);
    }

    /** As {@link #start}; {@code memory} grants what is allocated outside the heap. */
    public static TcpNodeServer start(
            final String host, final int port, final StreamServer server, final DirectMemory memory)
            throws IOException {
        try {
            final TcpListener listener = bind(host, port, server, memory);
            return new TcpNodeServer(
                    server, listener, new NodeAddress(host, listener.address().getPort()));
        } catch (final IOException | RuntimeException | Error e) {
            server.close();
            throw e;
        }
    }

    private static TcpListener bind(
            final String host, final int port, final StreamServer server, final DirectMemory memory)
            throws IOException {
        final InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new UnknownHostException(host + ":" + port + ": unknown host");
        }
        try {
            return TcpListener.bind(address, server, THREADS, memory);
        } catch (final Exception e) {
            // Netty throws the checked exceptions of a failed bind undeclared.
            throw new IOException(host + ":" + port + ": " + e.getMessage(), e);
        }
    }

    @Override
    public String transport() {
        return TransportOffer.TCP;
    }

    @Override
    public NodeAddress address() {
        return address;
    }

    @Override
    public ServerStats stats() {
        return server.stats();
    }

    @Override
    public void addJobsInUse(final Set<String> jobs) {
        server.addJobsInUse(jobs);
    }

    @Override
    public void dropJob(final String jobId) {
        server.dropJob(jobId);
    }

    @Override
    public void close() {
        server.close();
        listener.close();
    }
}
