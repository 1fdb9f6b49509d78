// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.ServerSettings;
import io.spillway.seal.Protection;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.tcp.Meddler.Deed;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Transcript;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Somebody on the way changes what a node sends, or reads it. */
final class SealTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(TestSegments.JOB, SECRET);
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 0);
    private static final int LENGTH = 300_000;

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

    /** Passes all bytes on; {@code meddling} changes those of the node. */
    private static void passOn(
            final Peer client, final int port, final UnaryOperator<InputStream> meddling)
            throws IOException {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.passTo(server, meddling.apply(server.getInputStream()));
        }
    }

    /** The bytes of another stream, one bit of one of them turned. */
    private static final class Turning extends InputStream {
        private final InputStream in;
        private final long turned;
        private long position;

        Turning(final InputStream in, final long turned) {
            this.in = in;
            this.turned = turned;
        }

        @Override
        public int read() throws IOException {
            final int b = in.read();
            return b >= 0 && position++ == turned ? b ^ 1 : b;
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            final int count = in.read(bytes, offset, length);
            if (turned >= position && turned < position + count) {
                bytes[offset + (int) (turned - position)] ^= (byte) 1;
            }
            position += Math.max(0, count);
            return count;
        }
    }

    private static Map<String, String> asking(final Protection protection) {
        return Map.of("spillway.protection", protection.name().toLowerCase(Locale.ROOT));
    }

    private FetchRecorder fetchThrough(
            final Protection ofClient,
            final Protection ofNode,
            final UnaryOperator<InputStream> meddling)
            throws Exception {
        final int[] port = new int[1];
        try (FakeNode gateway = new FakeNode(client -> passOn(client, port[0], meddling));
                TcpNode node = node(gateway.address(), ofNode);
                TcpTransport transport = new TcpTransport(asking(ofClient)::get)) {
            port[0] = node.address().port();
            try (Channel channel = transport.open(gateway.address(), CREDENTIALS)) {
                final FetchRecorder fetch = FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH);
                assertThat(fetch.bytes()).hasSize(LENGTH);
                return fetch;
            }
        }
    }

    private TcpNode node(final NodeAddress alias, final Protection protection) {
        return new TcpNode(
                segments,
                job -> job.equals(TestSegments.JOB) ? SECRET : null,
                ServerSettings.from(
                        Map.of(
                                        "spillway.node.aliases",
                                        alias.toString(),
                                        "spillway.protection",
                                        protection.name().toLowerCase(Locale.ROOT))
                                ::get));
    }

    private void assertNoticed(
            final Protection ofClient,
            final Protection ofNode,
            final UnaryOperator<InputStream> meddling) {
        assertThatThrownBy(() -> fetchThrough(ofClient, ofNode, meddling))
                .hasRootCauseInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("sealed");
    }

    @ParameterizedTest
    @EnumSource(names = {"INTEGRITY", "PRIVACY"})
    void bytesThatWereChangedOnTheWayReachNobody(final Protection protection) {
        for (final long turned : new long[] {200, 1000, 100_000, LENGTH}) {
            assertNoticed(protection, protection, in -> new Turning(in, turned));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"INTEGRITY", "PRIVACY"})
    void recordsThatAreMeddledWithReachNobody(final Protection protection) throws Exception {
        for (final Deed deed : Deed.values()) {
            if (deed != Deed.NOTHING) {
                assertNoticed(protection, protection, in -> new Meddler(in, deed));
            }
        }
        final Meddler[] idle = new Meddler[1];
        final FetchRecorder fetch =
                fetchThrough(
                        protection,
                        protection,
                        in -> {
                            idle[0] = new Meddler(in, Deed.NOTHING);
                            return idle[0];
                        });
        assertThat(fetch.bytes()).isEqualTo(segments.bytes(SEGMENT));
        final byte[] some = Arrays.copyOfRange(segments.bytes(SEGMENT), 100, 200);
        assertThat(contains(idle[0].seen(), some))
                .as("seen on the way")
                .isEqualTo(protection == Protection.INTEGRITY);
    }

    @Test
    void theStricterSideDecides() throws Exception {
        for (final Protection ofClient : Protection.values()) {
            for (final Protection ofNode : Protection.values()) {
                if (ofClient.orStronger(ofNode).isKeyed()) {
                    assertNoticed(ofClient, ofNode, in -> new Turning(in, 100_000));
                }
                assertThat(isSeen(ofClient, ofNode))
                        .as("%s and %s", ofClient, ofNode)
                        .isEqualTo(ofClient.orStronger(ofNode) != Protection.PRIVACY);
            }
        }
    }

    /** Whether the network shows the bytes of the segment. */
    private boolean isSeen(final Protection ofClient, final Protection ofNode) throws Exception {
        final Watching[] way = new Watching[1];
        fetchThrough(
                ofClient,
                ofNode,
                in -> {
                    way[0] = new Watching(in);
                    return way[0];
                });
        final byte[] some = Arrays.copyOfRange(segments.bytes(SEGMENT), 100, 200);
        return contains(way[0].seen.toByteArray(), some);
    }

    private static final class Watching extends FilterInputStream {
        private final ByteArrayOutputStream seen = new ByteArrayOutputStream();

        Watching(final InputStream in) {
            super(in);
        }

        @Override
        public int read(final byte[] bytes, final int offset, final int length) throws IOException {
            final int count = super.read(bytes, offset, length);
            seen.write(bytes, offset, Math.max(0, count));
            return count;
        }
    }

    private static boolean contains(final byte[] all, final byte[] some) {
        final String text = new String(all, StandardCharsets.ISO_8859_1);
        return text.contains(new String(some, StandardCharsets.ISO_8859_1));
    }

    /** The node drops a client whose answer has a weaker protection than the node's minimum. */
    @Test
    void aClientThatAsksForLessThanTheNodeIsDropped() throws Exception {
        try (TcpNode node = node(new NodeAddress("10.0.0.7", 1), Protection.INTEGRITY);
                Peer client = Peer.connect(node.address()).speaking(FrameType.V14)) {
            final HelloFrame hello = client.ownHello();
            client.send(hello::encode);
            final ChallengeFrame challenge = client.readChallenge();
            assertThat(challenge.protection()).isEqualTo(Protection.INTEGRITY);
            final Transcript weaker =
                    new Transcript(hello, challenge, Protection.AUTHENTICATION, FrameType.V14);
            client.send(weaker.auth(SECRET)::encode);
            assertThat(client.isClosedByPeer()).isTrue();
        }
    }

    /** Without tags the map's checksum finds a turned bit. */
    @Test
    void aSessionUnderAuthenticationHasWhatCameOnTheWay() throws Exception {
        final Protection none = Protection.AUTHENTICATION;
        final FetchRecorder fetch = fetchThrough(none, none, in -> new Turning(in, 100_000));
        assertThat(fetch.bytes()).isNotEqualTo(segments.bytes(SEGMENT));
        final CRC32C crc = new CRC32C();
        crc.update(fetch.bytes());
        assertThat(crc.getValue()).isNotEqualTo(fetch.reply().checksum());
    }

    /** A node of version 13 seals as privacy does. */
    @Test
    void withVersion13IntegrityIsPrivacy() throws Exception {
        try (TcpNode node = node(new NodeAddress("10.0.0.7", 1), Protection.INTEGRITY);
                Peer client = Peer.connect(node.address()).speaking(FrameType.V13)) {
            final HelloFrame hello = client.ownHello();
            client.send(hello::encode);
            assertThat(client.readChallenge().protection()).isEqualTo(Protection.PRIVACY);
        }
    }
}
