// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.host.TestKeyStore;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Shuffle ports with TLS, and what answers in their place. */
final class TlsTest {
    private static final String PROTECTION = "spillway.protection";
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(TestSegments.JOB, SECRET);
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 0);
    private static final int LENGTH = 1_000_000;

    private static SSLContext context;
    private static SSLContext stranger;

    private TestSegments segments;

    @BeforeAll
    static void makeKeys(@TempDir final Path directory) throws Exception {
        context = TestKeyStore.make(directory.resolve("keys"), "ip:127.0.0.1").context();
        stranger = TestKeyStore.make(directory.resolve("others"), "ip:127.0.0.1").context();
    }

    @BeforeEach
    void prepare(@TempDir final Path directory) {
        segments = new TestSegments(directory);
        segments.add(3, LENGTH);
    }

    @AfterEach
    void stop() throws IOException {
        segments.close();
    }

    private TlsNode node(final Map<String, String> settings) {
        return new TlsNode(
                context, segments, job -> SECRET, ServerSettings.ofShufflePort(settings::get));
    }

    private static TcpTransport transport(final String protection, final TestTls tls) {
        return new TcpTransport(Map.of(PROTECTION, protection)::get, Optional.of(tls));
    }

    private static FetchException failureOf(final NodeAddress address, final TestTls tls) {
        return catchThrowableOfType(
                FetchException.class,
                () -> {
                    try (TcpTransport transport = transport("privacy", tls)) {
                        transport.open(address, CREDENTIALS).close();
                    }
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"authentication", "integrity", "privacy"})
    void anyProtectionWorksInsideTls(final String protection) throws Exception {
        try (TlsNode node = node(Map.of(PROTECTION, protection));
                TcpTransport transport = transport(protection, new TestTls(context, true));
                Channel channel = transport.open(node.address(), CREDENTIALS)) {
            assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).bytes())
                    .isEqualTo(segments.bytes(SEGMENT));
        }
    }

    @Test
    void aNodeThatIsNotTrustedIsTheNodesFault() {
        try (TlsNode node = node(Map.of())) {
            final FetchException failure = failureOf(node.address(), new TestTls(stranger, true));
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure)
                    .hasMessageContaining(node.address() + ": no TLS session: ")
                    .hasMessageContaining("PKIX path")
                    .hasMessageContaining("ssl.client.truststore.location");
        }
    }

    @Test
    void aCertificateOfAnotherHostIsRefusedBeforeAnythingIsSent() throws Exception {
        try (TlsNode node = node(Map.of())) {
            final FetchException failure = failureOf(node.address(), new TestTls(context, false));
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure).hasMessageContaining("its certificate does not name that host");
        }
    }

    @Test
    void aNodeWithoutTlsIsNamedWithTheSettingOfBothSides() throws Exception {
        try (FakeNode node =
                new FakeNode(
                        client -> {
                            client.readBytes(1);
                            final byte[] answer =
                                    "HTTP/1.1 400 Bad Request\r\n\r\n"
                                            .getBytes(StandardCharsets.US_ASCII);
                            client.send(answer, answer.length);
                        })) {
            final FetchException failure = failureOf(node.address(), new TestTls(context, true));
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure)
                    .hasMessageContaining(
                            "mapreduce.shuffle.ssl.enabled=true in this job, but false on the"
                                    + " node");
        }
    }

    @Test
    void aConnectionThatEndsEarlyIsNoWrongCertificate() throws Exception {
        try (FakeNode node = new FakeNode(client -> client.readBytes(1))) {
            assertThat(failureOf(node.address(), new TestTls(context, true)).reason())
                    .isEqualTo(Reason.DISCONNECTED);
        }
    }

    /** The record that it is in does not open; the fetch can be repeated. */
    @Test
    void aChangedByteEndsTheConnection() throws Exception {
        final int[] port = new int[1];
        try (FakeNode gateway =
                        new FakeNode(
                                client -> {
                                    try (Socket server =
                                            new Socket(InetAddress.getLoopbackAddress(), port[0])) {
                                        client.passTo(server, new Turning(server.getInputStream()));
                                    }
                                });
                TlsNode node =
                        node(
                                Map.of(
                                        PROTECTION,
                                        "authentication",
                                        "spillway.node.aliases",
                                        gateway.address().toString()))) {
            port[0] = node.address().port();
            try (TcpTransport transport = transport("authentication", new TestTls(context, true));
                    Channel channel = transport.open(gateway.address(), CREDENTIALS)) {
                final FetchRecorder fetch = FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH);
                assertThat(fetch.failure().reason()).isEqualTo(Reason.DISCONNECTED);
                assertThat(fetch.failure()).hasMessageContaining(gateway.address().toString());
            }
        }
    }

    /** Memory nodes and the placement service. */
    @Test
    void nodesThatAnotherOneHasNamedHaveNoTls() throws Exception {
        final byte[][] key = new byte[1][];
        try (TcpNode node =
                        new TcpNode(
                                segments,
                                job -> key[0],
                                ServerSettings.from(Map.<String, String>of()::get));
                TcpTransport transport = transport("privacy", new TestTls(context, true))) {
            final JobCredentials ofMemoryNode = CREDENTIALS.forNode(node.address());
            key[0] = ofMemoryNode.key();
            try (Channel channel = transport.open(node.address(), ofMemoryNode)) {
                assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).bytes())
                        .isEqualTo(segments.bytes(SEGMENT));
            }
        }
    }

    /** Turns a bit in the middle of the segment. */
    private static final class Turning extends FilterInputStream {
        private long position;

        Turning(final InputStream in) {
            super(in);
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            final int count = super.read(bytes, offset, length);
            final long turned = LENGTH / 2 - position;
            if (turned >= 0 && turned < count) {
                bytes[offset + (int) turned] ^= (byte) 1;
            }
            position += Math.max(0, count);
            return count;
        }
    }
}
