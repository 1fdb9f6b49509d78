// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.AllocationConformance;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.ucx.client.ClientInternals;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.ServerInternals;
import io.spillway.transport.ucx.server.UcxSegmentServer;
import io.spillway.transport.ucx.worker.UcxThread;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;

final class UcxAllocationTest extends AllocationConformance {
    private static final Map<String, String> SETTINGS =
            Map.of("spillway.ucx.tls", "posix,sysv,cma,self");

    private final List<UcxThread> threads = new ArrayList<>();

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @Override
    protected Node startNode(
            final SegmentSource source, final JobSecrets jobSecrets, final DirectMemory nodeMemory)
            throws IOException {
        final UcxSegmentServer server =
                ServerInternals.newServer(
                        source,
                        jobSecrets,
                        SETTINGS::get,
                        1,
                        nodeMemory,
                        ServerSettings.from(SETTINGS::get));
        threads.add(ServerInternals.threadOf(server));
        return new UcxNode(server, 1);
    }

    @Override
    protected Transport newTransport(final DirectMemory clientMemory) throws IOException {
        final UcxTransport transport = ClientInternals.newTransport(SETTINGS::get, clientMemory);
        threads.add(ClientInternals.threadOf(transport));
        return transport;
    }

    @Override
    protected void requireMemoryBack() throws Exception {
        threads.removeIf(UcxThread::isEnded);
        for (final UcxThread thread : threads) {
            await(() -> usedBytes(thread) == 0);
            assertThat(usedBytes(thread)).as("registered memory in use").isZero();
        }
    }

    private static long usedBytes(final UcxThread thread) throws Exception {
        final CompletableFuture<Long> used = new CompletableFuture<>();
        thread.execute(() -> used.complete(thread.buffers().usedBytes()));
        return used.get(100, TimeUnit.SECONDS);
    }
}
