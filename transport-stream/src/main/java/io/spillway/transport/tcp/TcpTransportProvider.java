// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.conf.Setting;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.TcpNodeServer;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/** Makes both ends of tcp; every host can use it. Thread-safe. */
public final class TcpTransportProvider implements TransportProvider {
    /** Creates the provider. */
    public TcpTransportProvider() {}

    @Override
    public String name() {
        return TcpTransport.NAME;
    }

    @Override
    public Optional<Setting<Optional<Integer>>> port() {
        return Optional.of(TcpKeys.NODE_TCP_PORT);
    }

    @Override
    public Optional<String> obstacle(final Function<String, String> settings) {
        return Optional.empty();
    }

    @Override
    public Transport newTransport(final Function<String, String> settings) {
        return new TcpTransport(settings);
    }

    @Override
    public SegmentServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch)
            throws IOException {
        return newServer(host, port, source, secrets, settings, epoch, List::of);
    }

    @Override
    public SegmentServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch,
            final Supplier<List<TransportOffer>> others)
            throws IOException {
        final ServerSettings limits = ServerSettings.from(settings);
        return TcpNodeServer.start(
                host, port, new StreamServer(source, secrets, limits, epoch, others));
    }
}
