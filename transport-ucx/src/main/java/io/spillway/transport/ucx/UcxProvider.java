// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import io.spillway.conf.Setting;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.UcxSegmentServer;
import io.spillway.transport.ucx.worker.UcxKeys;
import io.spillway.transport.ucx.worker.UcxLibrary;
import io.spillway.transport.ucx.worker.UcxSettings;
import java.io.IOException;
import java.util.Optional;
import java.util.function.Function;

/** Makes both ends of the ucx transport. Thread-safe. */
public final class UcxProvider implements TransportProvider {
    @Override
    public String name() {
        return UcxTransport.NAME;
    }

    @Override
    public Optional<Setting<Optional<Integer>>> port() {
        return Optional.of(UcxKeys.NODE_UCX_PORT);
    }

    @Override
    public Optional<ShuffleCounter> fetched() {
        return Optional.of(ShuffleCounter.FETCH_UCX_BYTES);
    }

    @Override
    public Optional<String> obstacle(final Function<String, String> settings) {
        return UcxLibrary.obstacle(UcxSettings.from(settings));
    }

    /**
     * UCX parses what clients send, and a client may crash it, so that no outputs of other hosts
     * are in a process that serves it.
     */
    @Override
    public Optional<String> servingObstacle(final Function<String, String> settings) {
        final long held = ProtocolKeys.NODE_MEMORY_BYTES.get(settings);
        if (held == 0) {
            return obstacle(settings);
        }
        return Optional.of(
                "ucx: "
                        + ProtocolKeys.NODE_MEMORY_BYTES
                        + "="
                        + held
                        + ", expected 0: a process that holds outputs of other hosts does not serve"
                        + " ucx; reducers fetch from it over tcp");
    }

    @Override
    public boolean canUse(final Medium medium, final Function<String, String> settings) {
        return UcxLibrary.canUse(medium, UcxSettings.from(settings).tls());
    }

    @Override
    public Transport newTransport(final Function<String, String> settings) throws IOException {
        return new UcxTransport(settings);
    }

    @Override
    public SegmentServer newServer(
            final String host,
            final int port,
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch)
            throws IOException {
        return new UcxSegmentServer(host, port, source, secrets, settings, epoch);
    }
}
