// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.sun.net.httpserver.HttpServer;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.client.VersionQuestion;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.version.VersionRange;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.RefusedFrame;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Both sides use the newest version that both speak, and nobody else has a say in it. */
final class VersionNegotiationTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(TestSegments.JOB, SECRET);
    private static final JobSecrets SECRETS = job -> job.equals(TestSegments.JOB) ? SECRET : null;
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 1);
    private static final int LENGTH = 100;

    private final List<Integer> hellos = Collections.synchronizedList(new ArrayList<>());
    private TestSegments segments;

    @BeforeEach
    void prepare(@TempDir final Path directory) {
        segments = new TestSegments(directory);
        segments.add(3, 0, LENGTH);
    }

    @AfterEach
    void stop() throws IOException {
        segments.close();
    }

    /** As the build of version 12 does: it looks at the version in the header of a HELLO first. */
    private void serveAsVersion12(final Peer client) throws IOException {
        client.speaking(FrameType.V12);
        final Peer.Frame hello = client.readFirst();
        hellos.add(hello.version());
        if (hello.version() != FrameType.V12) {
            client.send(
                    new RefusedFrame(RefusedFrame.Code.VERSION, "version=13, expected 12")::encode);
            return;
        }
        client.welcome(HelloFrame.decode(hello.body(), FrameType.V12), SECRET, 16);
        final FetchFrame fetch = FetchFrame.decode(client.read().body());
        client.send(
                DataFrame.answering(
                                fetch, LENGTH, LENGTH, 1, LENGTH, DataFrame.NO_CHECKSUM, 0, -1, 12)
                        ::encode);
        client.send(new byte[LENGTH], LENGTH);
        client.isClosedByPeer();
    }

    private static TcpTransport transport(final String minVersion) {
        return new TcpTransport(Map.of("spillway.wire.min.version", minVersion)::get);
    }

    private static void fetchOnce(final TcpTransport transport, final NodeAddress address)
            throws Exception {
        try (Channel channel = transport.open(address, CREDENTIALS)) {
            assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).reply().length())
                    .isEqualTo(LENGTH);
        }
    }

    @Test
    void anOldNodeIsFetchedFromInItsVersionAndRemembered() throws Exception {
        try (FakeNode node = new FakeNode(this::serveAsVersion12);
                TcpTransport transport = transport("12")) {
            fetchOnce(transport, node.address());
            fetchOnce(transport, node.address());
        }
        assertThat(hellos).containsExactly(13, 12, 12);
    }

    @Test
    void anOldNodeIsNotFetchedFromWhereItsVersionIsNotAllowed() throws Exception {
        try (FakeNode node = new FakeNode(this::serveAsVersion12);
                TcpTransport transport = transport("13")) {
            assertThat(failureToOpen(transport, node.address()).reason())
                    .isEqualTo(Reason.NOT_SPILLWAY);
        }
        assertThat(hellos).containsExactly(13);
    }

    private static FetchException failureToOpen(
            final TcpTransport transport, final NodeAddress address) {
        return (FetchException) catchThrowable(() -> transport.open(address, CREDENTIALS).close());
    }

    private static ServerSettings settings(final String minVersion) {
        return ServerSettings.from(Map.of("spillway.wire.min.version", minVersion)::get);
    }

    private TcpNode node(final String minVersion) {
        return new TcpNode(segments, SECRETS, settings(minVersion));
    }

    private static Optional<VersionRange> versionsAt(final int port) throws IOException {
        return VersionQuestion.ask(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                Duration.ofSeconds(10));
    }

    @Test
    void aNodeTellsItsVersionsToWhoKnowsNoJob() throws IOException {
        try (TcpNode node = node("12");
                TcpNode newer = node("13")) {
            assertThat(versionsAt(node.address().port())).contains(FrameType.VERSIONS);
            assertThat(versionsAt(newer.address().port()))
                    .contains(new VersionRange(FrameType.V13, FrameType.V14));
        }
    }

    @Test
    void aStockHandlerThatIsAskedForVersionsIsTold() throws IOException {
        final HttpServer stock =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        stock.start();
        try {
            assertThat(versionsAt(stock.getAddress().getPort())).isEmpty();
        } finally {
            stock.stop(0);
        }
    }

    @Test
    void anOldClientIsServedInItsVersion() throws Exception {
        try (TcpNode node = node("12");
                Peer client = Peer.connect(node.address()).speaking(FrameType.V12)) {
            client.shakeHands(SECRET);
            client.fetch(1, 1, LENGTH);
            final Peer.Frame answer = client.read();
            assertThat(answer.version()).isEqualTo(FrameType.V12);
            assertThat(DataFrame.decode(answer.body(), FrameType.V12).length()).isEqualTo(LENGTH);
        }
    }

    /** It waits for a job that is not known yet, and for nothing else. */
    @Test
    void anOldClientIsToldAnUnknownJobFromAWrongProof() throws Exception {
        try (TcpNode node = node("12")) {
            assertThat(refusalIn12(node, "job_1700000000000_0002"))
                    .isEqualTo(RefusedFrame.Code.UNKNOWN_JOB);
            assertThat(refusalIn12(node, TestSegments.JOB))
                    .isEqualTo(RefusedFrame.Code.UNAUTHORIZED);
        }
    }

    private static RefusedFrame.Code refusalIn12(final TcpNode node, final String job)
            throws IOException {
        try (Peer client = Peer.connect(node.address()).speaking(FrameType.V12)) {
            return client.refusal(job, new byte[20]).code();
        }
    }

    @Test
    void anOldClientIsRefusedInItsVersionWhereThatIsNotAllowed() throws Exception {
        try (TcpNode node = node("13");
                Peer client = Peer.connect(node.address()).speaking(FrameType.V12)) {
            client.send(Peer.hello(FrameType.V12)::encode);
            final Peer.Frame answer = client.read();
            assertThat(answer.version()).isEqualTo(FrameType.V12);
            assertThat(RefusedFrame.decode(answer.body()).code())
                    .isEqualTo(RefusedFrame.Code.VERSION);
        }
    }

    @Test
    void aClientOfTheFutureIsServedInTheNewestVersionOrToldWhichThereAre() throws Exception {
        try (TcpNode node = node("12")) {
            try (Peer client = Peer.connect(node.address())) {
                client.send(Peer.hello(new VersionRange(13, 20))::encode);
                final Peer.Frame answer = client.read();
                assertThat(answer.type()).isEqualTo(FrameType.CHALLENGE);
                assertThat(answer.version()).isEqualTo(FrameType.V14);
            }
            try (Peer client = Peer.connect(node.address())) {
                client.send(Peer.hello(new VersionRange(15, 20))::encode);
                assertThat(RefusedFrame.decode(client.read().body()).message())
                        .isEqualTo("versions=15 to 20, expected 12 to 14");
            }
        }
    }

    @Test
    void framesOfAnotherVersionThanTheSessionsEndTheConnection() throws Exception {
        try (TcpNode node = node("12");
                Peer client = Peer.connect(node.address()).speaking(FrameType.V12)) {
            client.shakeHands(SECRET);
            client.speaking(FrameType.V13);
            client.send(FrameType.PING);
            assertThat(client.isClosedByPeer()).isTrue();
        }
    }

    /** Somebody in between refuses the newer HELLO in the node's name, and relays all else. */
    @Test
    void aForgedRefusalDoesNotBringTheOlderVersionAbout() throws Exception {
        try (TcpNode node = node("12");
                FakeNode between = new FakeNode(client -> refuseNewer(client, node.address()));
                TcpTransport transport = transport("12")) {
            final FetchException failure = failureToOpen(transport, between.address());
            assertThat(failure.reason()).isEqualTo(Reason.UNAUTHORIZED);
            assertThat(failure).hasMessageContaining("somebody in between has forged it");
        }
        assertThat(hellos).containsExactly(13, 12);
    }

    private void refuseNewer(final Peer client, final NodeAddress node) throws IOException {
        client.speaking(FrameType.V12);
        final Peer.Frame hello = client.readFirst();
        hellos.add(hello.version());
        if (hello.version() == FrameType.V13) {
            client.send(new RefusedFrame(RefusedFrame.Code.VERSION, "expected 12")::encode);
            return;
        }
        try (Peer server = Peer.connect(node).speaking(FrameType.V12)) {
            server.send(HelloFrame.decode(hello.body(), FrameType.V12)::encode);
            client.relay(server.read());
            client.isClosedByPeer();
        }
    }

    @Test
    void anUpgradedNodeIsSpokenToInTheNewerVersionAgain() throws Exception {
        try (TcpTransport transport = transport("12")) {
            final int port;
            try (FakeNode old = new FakeNode(this::serveAsVersion12)) {
                port = old.address().port();
                fetchOnce(transport, old.address());
            }
            try (TcpNode node = new TcpNode(port, segments, SECRETS, settings("12"))) {
                fetchOnce(transport, node.address());
                // In 12, where the node has marked its nonce, and in 13.
                assertThat(node.server().stats().accepted()).isEqualTo(2);
            }
        }
        assertThat(hellos).containsExactly(13, 12);
    }
}
