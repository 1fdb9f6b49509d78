// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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

    /** Passes all on, but turns one bit of what the node sends. */
    private static void passOn(final Peer client, final int port, final long turned)
            throws IOException {
        try (Socket server = new Socket(InetAddress.getLoopbackAddress(), port)) {
            client.passTo(server, new Turning(server.getInputStream(), turned));
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

    private byte[] fetchThrough(final boolean ofClient, final boolean ofNode, final long turned)
            throws Exception {
        final int[] port = new int[1];
        try (FakeNode gateway = new FakeNode(client -> passOn(client, port[0], turned));
                TcpNode node = node(gateway.address(), ofNode);
                TcpTransport transport =
                        new TcpTransport(
                                Map.of("spillway.wire.seal", String.valueOf(ofClient))::get)) {
            port[0] = node.address().port();
            try (Channel channel = transport.open(gateway.address(), CREDENTIALS)) {
                return FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).bytes();
            }
        }
    }

    private TcpNode node(final NodeAddress alias, final boolean seals) {
        return new TcpNode(
                segments,
                job -> job.equals(TestSegments.JOB) ? SECRET : null,
                ServerSettings.from(
                        Map.of(
                                        "spillway.node.aliases",
                                        alias.toString(),
                                        "spillway.wire.seal",
                                        String.valueOf(seals))
                                ::get));
    }

    private void assertNoticed(final boolean ofClient, final boolean ofNode, final long turned) {
        assertThatThrownBy(() -> fetchThrough(ofClient, ofNode, turned))
                .as("byte %s", turned)
                .hasRootCauseInstanceOf(MalformedFrameException.class)
                .hasMessageContaining("sealed");
    }

    @Test
    void bytesThatWereChangedOnTheWayReachNobody() {
        for (final long turned : new long[] {200, 1000, 100_000, LENGTH}) {
            assertNoticed(true, true, turned);
        }
    }

    @Test
    void theStricterSideDecides() {
        assertNoticed(true, false, 100_000);
        assertNoticed(false, true, 100_000);
    }

    @Test
    void aSessionWithoutSealsHasWhatCameOnTheWay() throws Exception {
        assertThat(fetchThrough(false, false, 100_000))
                .hasSize(LENGTH)
                .isNotEqualTo(segments.bytes(SEGMENT));
    }
}
