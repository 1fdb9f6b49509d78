// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.util.HashMap;
import java.util.Map;

/** Run by {@link ConformanceMain}, as a rank of a world. */
class FetchesOverMpi extends TransportConformance {
    /** The protection that both sides set. */
    String protection() {
        return "integrity";
    }

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        return new MpiNode(
                source,
                jobSecrets,
                ServerSettings.from(Map.of("spillway.protection", protection())::get),
                DirectMemory.SYSTEM);
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        final Map<String, String> all = new HashMap<>(settings);
        all.put("spillway.protection", protection());
        return TestWorld.get().newTransport(all, DirectMemory.SYSTEM);
    }
}
