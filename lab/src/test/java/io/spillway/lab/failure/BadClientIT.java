// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.cli.run.JobFigures;
import io.spillway.frame.FrameHeader;
import io.spillway.frame.FrameLayout;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.report.ShuffleCounter;
import io.spillway.seed.TestSeed;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import io.spillway.wire.Transcript;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Clients that send what they should not, while a job is served by the same ports. Its reducers
 * have so little memory that what the stock node serves, over HTTP, goes through their local disks.
 */
@ExtendWith(OnFailureSite.class)
class BadClientIT {
    private static final int TIMEOUT_MILLIS = 20_000;

    /** More than a node logs a minute. */
    private static final int FLOOD = 60;

    private final Random random = new Random(TestSeed.fresh(BadClientIT.class));
    private final FailureSite site;
    private final LocalCluster cluster;

    BadClientIT(final FailureSite site) {
        this.site = site;
        this.cluster = site.cluster();
    }

    @Test
    void badClientsLoseTheirConnectionAndNothingElseHappens() throws Exception {
        Situation.await("outputs on the stock node beside Spillway's", this::badClientsHarmNothing);
    }

    /** Bad clients come once only: of more of them in the same minute nodes log nothing. */
    private boolean badClientsHarmNothing() throws Exception {
        final Map<String, String> properties =
                Map.of(
                        "mapreduce.job.reduce.slowstart.completedmaps",
                        "0.05",
                        "spillway.shuffle.buffer.bytes",
                        "1m");
        try (RunningJob job = RunningJob.withLastMapHeld(site, properties)) {
            final long ofStock =
                    job.awaitMapOutputs().stream()
                            .filter(output -> output.node() == FailureSite.STOCK_NODE)
                            .count();
            if (ofStock == 0 || ofStock == FailureSite.DATA_MAPS) {
                return false;
            }
            for (int node = 0; node < FailureSite.NODES; node++) {
                harass(cluster.shufflePort(node), job.id());
                if (node != FailureSite.STOCK_NODE) {
                    harassSpillway(node, job);
                }
            }
            job.openGate();
            final JobFigures figures = site.figures(job.awaitSameOutputAsStock());

            assertThat(Figures.of(figures, ShuffleCounter.FETCH_SPILLWAY_BYTES)).isPositive();
            assertThat(Figures.of(figures, ShuffleCounter.FETCH_HTTP_DISK_BYTES)).isPositive();
            Figures.assertNothingLost(figures);
            assertThat(cluster.status().isComplete()).isTrue();
            return true;
        }
    }

    /** What stock answers as well. */
    private void harass(final int port, final String jobId) throws IOException {
        for (int size : new int[] {1, 100, 10_000}) {
            final byte[] noise = new byte[size];
            random.nextBytes(noise);
            sendAndClose(port, noise);
        }
        sendAndClose(port, "GET /mapOutput HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        sendAndClose(
                port,
                ("GET /mapOutput?job=" + jobId + "&reduce=0&map=x HTTP/1.1\r\n\r\n")
                        .getBytes(StandardCharsets.US_ASCII));
    }

    private void harassSpillway(final int node, final RunningJob job) throws IOException {
        final int port = cluster.shufflePort(node);
        warnsOnce(
                node,
                job,
                "HELLO frame: body length=65535, expected",
                () -> sendUntilClosed(port, header(FrameType.HELLO, 0xFFFF)));
        warnsOnce(
                node,
                job,
                "PING frame: not expected in state HELLO",
                () -> sendUntilClosed(port, header(FrameType.PING, 0)));
        final byte[] hello = frame(helloOf(job.id())::encode, HelloFrame.MAX_LENGTH);
        warnsOnce(
                node,
                job,
                "ended within HELLO frame, after ",
                () -> sendAndClose(port, Arrays.copyOf(hello, hello.length / 2)));
        warnsOnce(
                node,
                job,
                "the client's proof for " + job.id() + " is wrong",
                () -> proveWrongly(port, job.id()));
        final String flood = "HELLO frame: body length=1, expected";
        final int before = site.nodeLogLines(node, flood).size();
        for (int i = 0; i < FLOOD; i++) {
            sendUntilClosed(port, header(FrameType.HELLO, 1));
        }
        assertThat(site.nodeLogLines(node, flood)).hasSizeBetween(before + 1, before + FLOOD - 1);
    }

    private interface Attack {
        void run() throws IOException;
    }

    /** Other tests may have led to the same lines before. */
    private void warnsOnce(
            final int node, final RunningJob job, final String text, final Attack attack)
            throws IOException {
        final int before = site.nodeLogLines(node, text).size();
        attack.run();
        job.await("a log line with " + text, () -> site.nodeLogLines(node, text).size() > before);
        assertThat(site.nodeLogLines(node, text)).hasSize(before + 1);
    }

    private static HelloFrame helloOf(final String jobId) {
        return new HelloFrame(
                Nonce.random(new SecureRandom()),
                FrameType.VERSIONS,
                HelloFrame.NOT_DIALLED,
                jobId);
    }

    private static byte[] header(final FrameType type, final int bodyLength) {
        return frame(
                (out, version) -> {
                    out.putInt(HelloFrame.MAGIC);
                    FrameHeader.encode(out, type, version, bodyLength);
                    out.put(new byte[256]);
                },
                512);
    }

    private static byte[] frame(final FrameLayout encoder, final int maxLength) {
        final ByteBuffer out = ByteBuffer.allocate(maxLength);
        encoder.encode(out, FrameType.V13);
        return Arrays.copyOf(out.array(), out.position());
    }

    private static Socket connect(final int port) throws IOException {
        final Socket socket = new Socket();
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.connect(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port), TIMEOUT_MILLIS);
        return socket;
    }

    private static void sendAndClose(final int port, final byte[] bytes) throws IOException {
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(bytes);
        }
    }

    /** The node must end the connection; a reset is as good as an end. */
    private static void sendUntilClosed(final int port, final byte[] bytes) throws IOException {
        try (Socket socket = connect(port)) {
            socket.getOutputStream().write(bytes);
            readToEnd(socket);
        }
    }

    private static void readToEnd(final Socket socket) {
        try {
            socket.getInputStream().readAllBytes();
        } catch (final SocketTimeoutException e) {
            throw new AssertionError("the node does not end the connection", e);
        } catch (final IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    /** Knows the job, but not its secret. */
    private static void proveWrongly(final int port, final String jobId) throws IOException {
        try (Socket socket = connect(port)) {
            final HelloFrame hello = helloOf(jobId);
            socket.getOutputStream().write(frame(hello::encode, HelloFrame.MAX_LENGTH));
            final ChallengeFrame challenge = readChallenge(socket.getInputStream());
            final int version = FrameType.VERSIONS.newest();
            final AuthFrame auth =
                    new Transcript(hello, challenge, version)
                            .auth("guess".getBytes(StandardCharsets.US_ASCII));
            socket.getOutputStream()
                    .write(
                            frame(
                                    (out, layout) -> auth.encode(out, version),
                                    FrameType.MAX_FRAME_LENGTH));
            final String answer =
                    new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(answer).contains(jobId + " is not known here, or not by the secret");
        }
    }

    private static ChallengeFrame readChallenge(final InputStream in) throws IOException {
        final FrameHeader<FrameType> header =
                FrameType.header(
                        ByteBuffer.wrap(in.readNBytes(FrameHeader.LENGTH)), FrameType.VERSIONS);
        assertThat(header.type()).isEqualTo(FrameType.CHALLENGE);
        return ChallengeFrame.decode(
                ByteBuffer.wrap(in.readNBytes(header.bodyLength())), header.version());
    }
}
