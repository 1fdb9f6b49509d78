// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.CallConformance;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.ServerInternals;
import java.io.IOException;
import org.junit.jupiter.api.BeforeAll;

final class UcxCallTest extends CallConformance {
    private static final long EPOCH = 1_700_000_000_123L;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @Override
    protected Node startNode(
            final SegmentSource source, final JobSecrets jobSecrets, final ServerSettings settings)
            throws IOException {
        return new UcxNode(
                ServerInternals.newServer(
                        source, jobSecrets, name -> null, EPOCH, DirectMemory.SYSTEM, settings),
                EPOCH);
    }

    @Override
    protected Transport newTransport() throws IOException {
        return new UcxTransport(name -> null);
    }
}
