// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.CallConformance;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.util.Map;

/** Run by {@link ConformanceMain}, as a rank of a world. */
final class CallsOverMpi extends CallConformance {
    @Override
    protected Node startNode(
            final SegmentSource source,
            final JobSecrets jobSecrets,
            final ServerSettings settings) {
        return new MpiNode(source, jobSecrets, settings, DirectMemory.SYSTEM);
    }

    @Override
    protected Transport newTransport() {
        return TestWorld.get().newTransport(Map.of(), DirectMemory.SYSTEM);
    }
}
