// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.util.HashMap;
import java.util.Map;

class TcpTransportTest extends TransportConformance {
    /** The protection that both sides set. */
    String protection() {
        return "integrity";
    }

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        return new TcpNode(
                source,
                jobSecrets,
                ServerSettings.from(Map.of("spillway.protection", protection())::get));
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        final Map<String, String> all = new HashMap<>(settings);
        all.put("spillway.protection", protection());
        return new TcpTransport(all::get);
    }
}
