// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.sharedfs;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.sharedfs.SharedTransport.Use;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** The conformance suite for outputs that lie in a directory too; subclasses say what is used. */
abstract class SharedConformance extends TransportConformance {
    private static final long EPOCH = 1_700_000_000_321L;

    final ServedDirectory directory = new ServedDirectory();
    final LongAdder read = new LongAdder();

    abstract Use use();

    @Override
    protected boolean asksNodes() {
        return false;
    }

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets)
            throws IOException {
        if (directory.has(source)) {
            closeLater(() -> assertThat(directory.open()).as("files left open").isZero());
        }
        return new ServedNode(
                new TcpTransportProvider()
                        .newServer("127.0.0.1", 0, source, jobSecrets, name -> null, EPOCH));
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        return new SharedTransport(
                new TcpTransport(settings::get), directory, use(), read, settings::get);
    }

    private record ServedNode(SegmentServer server) implements Node {
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
        }
    }
}
