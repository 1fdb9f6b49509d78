// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.AllocationConformance;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.util.Map;

/** Run by {@link ConformanceMain}, as a rank of a world. */
final class AllocationsOverMpi extends AllocationConformance {
    @Override
    protected Node startNode(
            final SegmentSource source,
            final JobSecrets jobSecrets,
            final DirectMemory nodeMemory) {
        return new MpiNode(source, jobSecrets, ServerSettings.from(name -> null), nodeMemory);
    }

    @Override
    protected Transport newTransport(final DirectMemory clientMemory) {
        return TestWorld.get().newTransport(Map.of(), clientMemory);
    }
}
