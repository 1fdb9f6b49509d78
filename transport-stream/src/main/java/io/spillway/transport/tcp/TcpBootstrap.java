// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.bootstrap.Bootstrap;
import io.spillway.bootstrap.BootstrapClient;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.bootstrap.OtherPath;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.TcpNodeServer;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;

/** The connections of this transport as the way in to others. Thread-safe. */
public final class TcpBootstrap implements Bootstrap {
    /** Creates the bootstrap. */
    public TcpBootstrap() {}

    @Override
    public BootstrapClient newClient(
            final Function<String, String> settings, final DirectMemory memory) {
        return new Client(new TcpTransport(settings, memory));
    }

    @Override
    public SegmentServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final long epoch,
            final OtherPath path,
            final DirectMemory memory)
            throws IOException {
        return TcpNodeServer.start(
                host,
                port,
                new StreamServer(source, secrets, settings, epoch, List::of, path),
                memory);
    }

    private record Client(TcpTransport transport) implements BootstrapClient {
        @Override
        public ControlConnection open(final NodeAddress address, final JobCredentials credentials)
                throws FetchException {
            return transport.openControl(address, credentials);
        }

        @Override
        public void close() {
            transport.close();
        }
    }
}
