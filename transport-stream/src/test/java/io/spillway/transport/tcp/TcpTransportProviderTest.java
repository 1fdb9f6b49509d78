// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Both ends as the provider makes them, with a port of their own. */
final class TcpTransportProviderTest extends TransportConformance {
    private static final long EPOCH = 1_700_000_000_321L;

    private final TcpTransportProvider provider = new TcpTransportProvider();

    private SegmentServer start(final int port) throws IOException {
        return provider.newServer(
                "127.0.0.1",
                port,
                (job, segment) -> {
                    throw new AssertionError("no one asks");
                },
                job -> null,
                name -> null,
                EPOCH);
    }

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        try {
            final SegmentServer server =
                    provider.newServer("127.0.0.1", 0, source, jobSecrets, name -> null, EPOCH);
            return new ProvidedNode(server);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        return provider.newTransport(settings::get);
    }

    /** A server, and what it counts in the end. */
    private record ProvidedNode(SegmentServer server) implements Node {
        @Override
        public NodeAddress address() {
            return server.address();
        }

        @Override
        public long epoch() {
            return EPOCH;
        }

        @Override
        public void close() {
            server.close();
            assertThat(server.stats().failures()).isLessThanOrEqualTo(server.stats().requests());
            assertThat(server.stats().refused()).isLessThanOrEqualTo(server.stats().accepted());
        }
    }

    @Test
    void namesAPortThatIsTaken() throws IOException {
        try (SegmentServer first = start(0)) {
            assertThat(first.transport()).isEqualTo("tcp");
            final int port = first.address().port();
            assertThatThrownBy(() -> start(port).close())
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("127.0.0.1:" + port);
        }
    }
}
