// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.util.Map;

final class TcpTransportTest extends TransportConformance {
    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        return new TcpNode(source, jobSecrets, ServerSettings.from(name -> null));
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        return new TcpTransport(settings::get);
    }
}
