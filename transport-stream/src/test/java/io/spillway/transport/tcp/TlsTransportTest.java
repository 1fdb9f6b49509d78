// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.host.TestKeyStore;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportConformance;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Everything inside TLS, which alone protects the bytes. */
final class TlsTransportTest extends TransportConformance {
    private static final String PROTECTION = "spillway.protection";

    private static SSLContext context;

    @BeforeAll
    static void makeKey(@TempDir final Path directory) throws Exception {
        context = TestKeyStore.make(directory.resolve("keys"), "ip:127.0.0.1").context();
    }

    @Override
    protected Node startNode(final SegmentSource source, final JobSecrets jobSecrets) {
        return new TlsNode(
                context,
                source,
                jobSecrets,
                ServerSettings.from(Map.of(PROTECTION, "authentication")::get));
    }

    @Override
    protected Transport newTransport(final Map<String, String> settings) {
        final Map<String, String> all = new HashMap<>(settings);
        all.put(PROTECTION, "authentication");
        return new TcpTransport(all::get, Optional.of(new TestTls(context, true)));
    }
}
