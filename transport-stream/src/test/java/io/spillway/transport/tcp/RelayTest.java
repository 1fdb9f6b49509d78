// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Somebody who knows no secret listens at a node's port while the node is away, and passes all
 * bytes on to another node of the job.
 */
final class RelayTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(TestSegments.JOB, SECRET);
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 0);
    private static final int LENGTH = 100_000;

    private TestSegments segments;

    @BeforeEach
    void prepare(@TempDir final Path directory) {
        segments = new TestSegments(directory);
        segments.add(3, LENGTH);
    }

    @AfterEach
    void stop() throws IOException {
        segments.close();
    }

    private TcpNode node(final Map<String, String> settings) {
        return new TcpNode(
                segments,
                job -> job.equals(TestSegments.JOB) ? SECRET : null,
                ServerSettings.from(settings::get));
    }

    private static void passOn(final Peer client, final int port) throws IOException {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.passTo(server);
        }
    }

    private static void fetch(final NodeAddress address) throws Exception {
        try (TcpTransport transport = new TcpTransport(Map.<String, String>of()::get);
                Channel channel = transport.open(address, CREDENTIALS)) {
            final byte[] bytes = FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).bytes();
            assertThat(bytes).hasSize(LENGTH);
        }
    }

    @Test
    void aRelayToAnotherNodeIsRefused() throws Exception {
        try (TcpNode node = node(Map.of());
                FakeNode relay = new FakeNode(client -> passOn(client, node.address().port()))) {
            assertThatThrownBy(() -> fetch(relay.address()))
                    .isInstanceOfSatisfying(
                            FetchException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.UNAUTHORIZED))
                    .hasMessageContaining(
                            "the client has dialled %s, expected %s",
                            relay.address(), node.address());
            fetch(node.address());
        }
    }

    @Test
    void addressesThatAreTranslatedOnTheWayAreAllowedByASetting() throws Exception {
        final int[] port = new int[1];
        try (FakeNode gateway = new FakeNode(client -> passOn(client, port[0]));
                TcpNode node =
                        node(Map.of("spillway.node.aliases", "10.9.8.7:1," + gateway.address()))) {
            port[0] = node.address().port();
            fetch(gateway.address());
        }
    }

    @Test
    void eachNameOfANodeIsItsOwn() throws Exception {
        try (TcpNode node = node(Map.of())) {
            fetch(new NodeAddress("localhost", node.address().port()));
            fetch(new NodeAddress("127.0.0.1", node.address().port()));
        }
    }
}
