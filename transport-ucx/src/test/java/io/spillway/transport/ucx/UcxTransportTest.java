// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.UcxSegmentServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

/** The conformance suite; subclasses say over which of UCX's transports. */
abstract class UcxTransportTest extends TransportConformance {
    private static final long EPOCH = 1_700_000_000_123L;

    /** The settings of both sides. */
    abstract Map<String, String> ucx();

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets)
            throws IOException {
        return new UcxNode(
                new UcxSegmentServer("127.0.0.1", 0, source, jobSecrets, ucx()::get, EPOCH), EPOCH);
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        final Map<String, String> all = new HashMap<>(ucx());
        all.putAll(settings);
        try {
            return new UcxTransport(all::get);
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
