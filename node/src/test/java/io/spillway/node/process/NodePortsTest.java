// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static io.spillway.node.process.TestManager.attempt;
import static io.spillway.node.process.TestManager.await;
import static io.spillway.node.process.TestManager.awaitTcp;
import static io.spillway.node.process.TestManager.fetch;
import static io.spillway.node.process.TestManager.secretOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.conf.InvalidSettingException;
import io.spillway.host.ListeningPorts;
import io.spillway.node.Transports;
import io.spillway.node.control.ControlClient;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ports of the node process: which it takes, and what it says of those that it cannot take. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
final class NodePortsTest {
    private static final String JOB = "job_1700000000000_0001";

    /** Below the range that the kernel gives to outgoing connections. */
    private static final int FIRST_PORT = 10_240;

    private static final int PORTS = 22_000;

    private static final System.Logger LOG = System.getLogger(NodePortsTest.class.getName());

    @TempDir private Path folder;

    private Map<String, String> settings(final String transport, final String port) {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("spillway.node.socket", socket().toString());
        settings.put("spillway.node.host", "127.0.0.1");
        settings.put("spillway.node.http.port", "none");
        settings.put("spillway.node." + transport + ".port", port);
        return settings;
    }

    private Path socket() {
        return folder.resolve("run/node.sock");
    }

    private static NodeProcess start(final Map<String, String> settings) throws IOException {
        return NodeProcess.start(Transports.all(), settings::get, false);
    }

    private static TransportProvider require(final String transport) {
        final TransportProvider provider =
                Transports.all().stream()
                        .filter(each -> each.name().equals(transport))
                        .findFirst()
                        .orElseThrow();
        final Optional<String> obstacle = provider.obstacle(name -> null);
        assumeTrue(obstacle.isEmpty(), obstacle.orElse(""));
        return provider;
    }

    private static int freePort() throws IOException {
        for (int attempt = 0; attempt < PORTS; attempt++) {
            final int port = FIRST_PORT + ThreadLocalRandom.current().nextInt(PORTS);
            try (ServerSocket socket = new ServerSocket()) {
                socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
                return port;
            } catch (final BindException e) {
                LOG.log(System.Logger.Level.DEBUG, "port {0} is taken", port);
            }
        }
        throw new IOException("no free port from " + FIRST_PORT + " on");
    }

    /** What a reducer of a job on this host does, at the address that the node offers. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "ucx"})
    void aTransportIsServedAtThePortThatIsSet(final String transport) throws Exception {
        final TransportProvider provider = require(transport);
        final int port = freePort();
        final Map<String, String> settings = settings(transport, String.valueOf(port));
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        final NodeProcess node = start(settings);
        try (node;
                ControlClient link = manager.link(socket(), ControlClient.Starter.NONE);
                Transport client = provider.newTransport(settings::get)) {
            await("an offer", () -> !link.offers().isEmpty());
            final NodeAddress address = new NodeAddress("127.0.0.1", port);
            assertThat(link.offers()).contains(new TransportOffer(transport, address));
            assertThat(ListeningPorts.of(ProcessHandle.current().pid()))
                    .contains(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            try (Channel channel = client.open(address, new JobCredentials(JOB, secretOf(JOB)))) {
                final SegmentId segment = new SegmentId(attempt(JOB), 0);
                assertThat(
                                FetchRecorder.fetch(channel, segment, 0, TestManager.SEGMENT_BYTES)
                                        .bytes())
                        .isEqualTo(TestManager.segment(JOB));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "ucx"})
    void aPortThatIsTakenIsNamedWithItsSettingAndWhatIsExpected(final String transport)
            throws Exception {
        require(transport);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final int port = taken.getLocalPort();
            final Map<String, String> settings = settings(transport, String.valueOf(port));
            assertThatThrownBy(() -> start(settings))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("cannot serve " + transport + " at 127.0.0.1:" + port)
                    .hasMessageContaining(
                            "spillway.node."
                                    + transport
                                    + ".port="
                                    + port
                                    + ": expected a port that is free at spillway.node.host, or"
                                    + " auto for any free one");
        }
        start(settings(transport, "auto")).close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"65536", "-1", "first"})
    void aPortOutOfRangeIsNamedWithItsSettingAndRange(final String port) {
        require("ucx");
        assertThatThrownBy(() -> start(settings("ucx", port)))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("spillway.node.ucx.port=" + port + ": expected")
                .hasMessageContaining("auto, or 1 to 65535");
    }

    /** The NodeManager serves on without the node process, which its log and exit code tell of. */
    @Test
    void aProcessWhosePortIsTakenEndsWithOneLineAndNoOffer() throws Exception {
        require("ucx");
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ControlClient link =
                        manager.link(NodeChild.socket(folder), ControlClient.Starter.NONE)) {
            final String port = String.valueOf(taken.getLocalPort());
            final Map<String, String> settings =
                    Map.of("spillway.node.transports", "auto", "spillway.node.ucx.port", port);
            try (NodeChild child = NodeChild.start(folder, settings)) {
                assertThat(child.awaitEnd()).isEqualTo(NodeMain.FAILED);
                assertThat(child.log())
                        .contains("spillway node: cannot serve ucx at 127.0.0.1:" + port)
                        .contains("spillway.node.ucx.port=" + port + ": expected");
            }
            assertThat(link.offers()).isEmpty();
            try (NodeChild child = NodeChild.start(folder, Map.of());
                    TcpTransport transport = new TcpTransport(name -> null)) {
                child.awaitServing();
                fetch(transport, awaitTcp(link), JOB);
            }
        }
    }
}
