// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;

/** A node of this process's rank. */
final class MpiNode implements TransportConformance.Node {
    private static final long EPOCH = 1_700_000_000_123L;

    private final MpiSegmentServer server;

    MpiNode(
            final SegmentSource source,
            final JobSecrets secrets,
            final ServerSettings settings,
            final DirectMemory memory) {
        final TestWorld world = TestWorld.get();
        server =
                new MpiSegmentServer(
                        world.world(),
                        world.newService(),
                        new StreamsOfMessages(source, secrets, settings, EPOCH),
                        memory);
    }

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
