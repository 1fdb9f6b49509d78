// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import io.spillway.protocol.ServerSettings;
import io.spillway.report.ShuffleCounter;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.transport.tcp.server.TcpListener;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/**
 * A transport of the tests alone, as a user may bring one: real sockets under a name of its own,
 * which may lack something on this host. This class and its line in {@code META-INF/services} are
 * all that there is of it.
 */
public final class SecondTransport implements TransportProvider {
    static final String NAME = "second";

    final AtomicInteger obstacleAsked = new AtomicInteger();
    final AtomicInteger transportsMade = new AtomicInteger();
    String obstacle;
    boolean canUseSharedMemory = true;
    private final String name;
    private final Medium only;

    /** The one that is registered: it has all media of transports in general. */
    public SecondTransport() {
        this(NAME, null);
    }

    /** Another one, which has one medium only. */
    SecondTransport(final String name, final Medium only) {
        this.name = name;
        this.only = only;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Optional<ShuffleCounter> fetched() {
        return Optional.of(ShuffleCounter.FETCH_UCX_BYTES);
    }

    @Override
    public Optional<String> obstacle(final Function<String, String> settings) {
        obstacleAsked.incrementAndGet();
        return Optional.ofNullable(obstacle);
    }

    @Override
    public boolean canUse(final Medium medium, final Function<String, String> settings) {
        if (only != null) {
            return medium == only;
        }
        return medium == Medium.SHARED_MEMORY ? canUseSharedMemory : medium == Medium.RDMA;
    }

    @Override
    public Transport newTransport(final Function<String, String> settings) throws IOException {
        transportsMade.incrementAndGet();
        return new TcpTransport(settings);
    }

    @Override
    public SecondServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch) {
        return new SecondServer(host, port, source, secrets, settings, epoch);
    }

    /** Its server. */
    static final class SecondServer implements SegmentServer {
        final StreamServer server;
        private final TcpListener listener;
        private final String host;

        SecondServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch) {
            this.host = host;
            server = new StreamServer(source, secrets, ServerSettings.from(settings), epoch);
            listener = TcpListener.bind(new InetSocketAddress(host, port), server, 1);
        }

        @Override
        public String transport() {
            return NAME;
        }

        @Override
        public NodeAddress address() {
            return new NodeAddress(host, listener.address().getPort());
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
}
