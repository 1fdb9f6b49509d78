// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.AllocationConformance;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance.Node;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;

final class TcpAllocationTest extends AllocationConformance {
    @Override
    protected Node startNode(
            final SegmentSource source,
            final JobSecrets jobSecrets,
            final DirectMemory nodeMemory) {
        return new TcpNode(source, jobSecrets, ServerSettings.from(name -> null), nodeMemory);
    }

    @Override
    protected Transport newTransport(final DirectMemory clientMemory) {
        return new TcpTransport(name -> null, clientMemory);
    }
}
