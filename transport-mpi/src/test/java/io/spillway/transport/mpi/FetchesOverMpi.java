// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.util.Map;

/** Run by {@link ConformanceMain}, as a rank of a world. */
final class FetchesOverMpi extends TransportConformance {
    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        return new MpiNode(
                source, jobSecrets, ServerSettings.from(name -> null), DirectMemory.SYSTEM);
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        return TestWorld.get().newTransport(settings, DirectMemory.SYSTEM);
    }
}
