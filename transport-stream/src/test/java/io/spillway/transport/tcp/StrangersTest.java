// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Transcript;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Somebody without a secret opens connections and proves nothing. */
final class StrangersTest {
    private static final byte[] SECRET = "secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(TestSegments.JOB, SECRET);
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 0);
    private static final int LENGTH = 1000;

    /** More than a node lets prove themselves at a time. */
    private static final int MANY = 300;

    private static final byte[] ANOTHER_HOST = {127, 0, 0, 2};

    private final List<Socket> strangers = new ArrayList<>();
    private TestSegments segments;
    private TcpNode node;

    @BeforeEach
    void start(@TempDir final Path directory) {
        segments = new TestSegments(directory);
        segments.add(3, LENGTH);
        node =
                new TcpNode(
                        segments,
                        job -> job.equals(TestSegments.JOB) ? SECRET : null,
                        ServerSettings.from(Map.<String, String>of()::get));
    }

    @AfterEach
    void stop() throws IOException {
        for (final Socket stranger : strangers) {
            stranger.close();
        }
        node.close();
        segments.close();
    }

    private void strangersCome() throws IOException {
        for (int i = 0; i < MANY; i++) {
            strangers.add(
                    new Socket(
                            InetAddress.getLoopbackAddress(),
                            node.address().port(),
                            InetAddress.getByAddress(ANOTHER_HOST),
                            0));
        }
    }

    @Test
    void keepNoneOutWhoKnowsTheSecret() throws Exception {
        try (TcpTransport transport = new TcpTransport(Map.<String, String>of()::get)) {
            for (int round = 0; round < 3; round++) {
                strangersCome();
                try (Channel channel = transport.open(node.address(), CREDENTIALS)) {
                    final byte[] bytes = FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).bytes();
                    assertThat(bytes).hasSize(LENGTH);
                }
            }
        }
    }

    @Test
    void takePlacesFromTheirOwnHostOnly() throws Exception {
        try (Peer slow = Peer.connect(node.address())) {
            final HelloFrame hello = slow.ownHello();
            slow.send(hello::encode);
            final Transcript transcript =
                    new Transcript(hello, slow.readChallenge(), FrameType.V13);
            strangersCome();
            strangersCome();
            slow.send(transcript.auth(SECRET)::encode);
            assertThat(slow.read().type()).isEqualTo(FrameType.WELCOME);
        }
        // Evicted connections are closed by their own threads.
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (node.server().connectionCount() > MANY && System.nanoTime() < deadline) {
            Thread.sleep(10);
        }
        assertThat(node.server().connectionCount()).isLessThanOrEqualTo(MANY);
    }
}
