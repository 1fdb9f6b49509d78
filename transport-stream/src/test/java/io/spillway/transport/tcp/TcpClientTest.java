// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static io.spillway.transport.FetchRecorder.fetch;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.frame.FrameHeader;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.RefusedFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the client takes nodes that are not what they should be. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class TcpClientTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(TestSegments.JOB, SECRET);
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 1);

    private TcpTransport transport =
            new TcpTransport(Map.of("spillway.shuffle.connect.timeout.ms", "60000")::get);

    @AfterEach
    void close() {
        transport.close();
    }

    private void hurry(final String setting, final String millis) {
        transport.close();
        transport = new TcpTransport(Map.of(setting, millis)::get);
    }

    private FetchException failureToOpen(final NodeAddress address) {
        return catchThrowableOfType(
                FetchException.class, () -> transport.open(address, CREDENTIALS).close());
    }

    private FetchException failureToOpen(final FakeNode.Behaviour behaviour) throws Exception {
        try (FakeNode node = new FakeNode(behaviour)) {
            return failureToOpen(node.address());
        }
    }

    private static void answer(final Peer client, final String text) throws IOException {
        client.readHello();
        final byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        client.send(bytes, bytes.length);
    }

    // ---- opening -------------------------------------------------------------------------------

    @Test
    void aStockHandlerIsNotSpillway() throws Exception {
        assertThat(
                        failureToOpen(
                                        client ->
                                                answer(
                                                        client,
                                                        "HTTP/1.1 400 Bad Request\r\n"
                                                                + "content-length: 0\r\n\r\n"))
                                .reason())
                .isEqualTo(Reason.NOT_SPILLWAY);
    }

    @Test
    void aStockHandlerThatIsSlowOrBriefIsNotSpillway() throws Exception {
        assertThat(failureToOpen(client -> answer(client, "HTTP/1.0")).reason())
                .isEqualTo(Reason.NOT_SPILLWAY);
    }

    @Test
    void aFullStockHandlerIsBusy() throws Exception {
        assertThat(
                        failureToOpen(
                                        client ->
                                                answer(
                                                        client,
                                                        "HTTP/1.1 429 TOO MANY REQUESTS\r\n\r\n"))
                                .reason())
                .isEqualTo(Reason.BUSY);
    }

    @Test
    void aNodeOfAnotherVersionIsNotSpillway() throws Exception {
        final FetchException failure =
                failureToOpen(
                        client -> {
                            client.readHello();
                            client.send(
                                    new RefusedFrame(RefusedFrame.Code.VERSION, "expected 2")
                                            ::encode);
                        });
        assertThat(failure.reason()).isEqualTo(Reason.NOT_SPILLWAY);
        assertThat(failure).hasMessageContaining("expected 2");
    }

    /** What such a node really sends: of its header only type and version are where ours are. */
    @Test
    void aRefusalInAnotherVersionIsNotSpillway() throws Exception {
        final FetchException failure =
                failureToOpen(
                        client -> {
                            client.readHello();
                            client.send(
                                    (out, version) ->
                                            out.put(FrameType.REFUSED.code())
                                                    .put((byte) (FrameType.V12 - 1))
                                                    .put(new byte[20]));
                        });
        assertThat(failure.reason()).isEqualTo(Reason.NOT_SPILLWAY);
        assertThat(failure).hasMessageContaining("expected " + FrameType.VERSIONS);
    }

    @Test
    void anythingElseBreaksTheProtocol() throws Exception {
        for (final String text : List.of("SSH-2.0-x\r\n", "Hello", "\u0000".repeat(6))) {
            assertThat(failureToOpen(client -> answer(client, text)).reason())
                    .as(text)
                    .isEqualTo(Reason.PROTOCOL);
        }
    }

    @Test
    void aPeerThatCloses() throws Exception {
        assertThat(failureToOpen(Peer::readHello).reason()).isEqualTo(Reason.DISCONNECTED);
    }

    @Test
    void aSilentPeer() throws Exception {
        hurry("spillway.shuffle.connect.timeout.ms", "200");
        final CountDownLatch done = new CountDownLatch(1);
        try (FakeNode node = new FakeNode(client -> done.await())) {
            assertThat(failureToOpen(node.address()).reason()).isEqualTo(Reason.TIMED_OUT);
            done.countDown();
        }
    }

    @Test
    void aNodeThatCannotProveItself() throws Exception {
        final byte[] wrong = "wrong".getBytes(StandardCharsets.US_ASCII);
        assertThat(failureToOpen(client -> client.welcome(wrong, 10)).reason())
                .isEqualTo(Reason.UNAUTHORIZED);
    }

    @Test
    void aNodeThatSkipsTheProof() throws Exception {
        final FetchException failure =
                failureToOpen(
                        client -> {
                            client.readHello();
                            client.send(FrameType.PING);
                        });
        assertThat(failure.reason()).isEqualTo(Reason.PROTOCOL);
    }

    @Test
    void aNodeThatSendsOurProofBack() throws Exception {
        assertThat(failureToOpen(Peer::reflect).reason()).isEqualTo(Reason.UNAUTHORIZED);
    }

    @Test
    void anUnknownHost() {
        assertThat(failureToOpen(new NodeAddress("host.invalid", 1)).reason())
                .isEqualTo(Reason.DISCONNECTED);
    }

    // ---- fetching ------------------------------------------------------------------------------

    private static FetchFrame readFetch(final Peer client) throws IOException {
        final Peer.Frame frame = client.read();
        assertThat(frame.type()).isEqualTo(FrameType.FETCH);
        return FetchFrame.decode(frame.body());
    }

    private List<FetchRecorder> fetchSome(final NodeAddress address) throws Exception {
        final Channel channel = transport.open(address, CREDENTIALS);
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            fetches.add(fetch(channel, SEGMENT, 0, 1000));
        }
        return fetches;
    }

    private void assertAllFail(final FakeNode.Behaviour behaviour, final Reason reason)
            throws Exception {
        try (FakeNode node =
                new FakeNode(
                        client -> {
                            client.welcome(SECRET, 16);
                            behaviour.serve(client);
                        })) {
            final List<FetchRecorder> fetches = fetchSome(node.address());
            for (final FetchRecorder fetch : fetches) {
                assertThat(fetch.failure().reason()).isEqualTo(reason);
                assertThat(fetch.calls()).isOne();
            }
        }
    }

    @Test
    void failsAllWhenThePeerClosesInTheMiddleOfATransfer() throws Exception {
        assertAllFail(
                client -> {
                    final FetchFrame fetch = readFetch(client);
                    client.send(answer(fetch, 1000)::encode);
                    client.send(new byte[500], 500);
                },
                Reason.DISCONNECTED);
    }

    private static DataFrame answer(final FetchFrame fetch, final int length) {
        return DataFrame.answering(
                fetch, 5000, 1, 1, length, DataFrame.NO_CHECKSUM, 0, -1, Peer.VERSION);
    }

    @Test
    void failsAllWhenAnAnswerWasDamagedOnTheWay() throws Exception {
        assertAllFail(
                client -> {
                    final DataFrame answer = answer(readFetch(client), 1000);
                    final ByteBuffer frame = ByteBuffer.allocate(DataFrame.MAX_LENGTH);
                    answer.encode(frame, Peer.VERSION);
                    // Two runs instead of one would be a run lost without a word.
                    final int runs = FrameHeader.LENGTH + 3 * Long.BYTES;
                    frame.putInt(runs, frame.getInt(runs) ^ 2);
                    client.send(frame.array(), frame.position());
                    client.isClosedByPeer();
                },
                Reason.PROTOCOL);
    }

    @Test
    void failsAllWhenAnAnswerHasTheWrongLength() throws Exception {
        for (final int length : new int[] {999, 1001}) {
            assertAllFail(
                    client -> {
                        final FetchFrame fetch = readFetch(client);
                        client.send(answer(fetch, length)::encode);
                        client.isClosedByPeer();
                    },
                    Reason.PROTOCOL);
        }
    }

    @Test
    void failsAllWhenAnAnswerIsToNobody() throws Exception {
        assertAllFail(
                client -> {
                    client.send(new DataFrame(4711, 5000, 1, 1, 1000, -1, 0, 0, 0)::encode);
                    client.isClosedByPeer();
                },
                Reason.PROTOCOL);
    }

    @Test
    void failsAllWhenANodeSendsWhatOnlyClientsSend() throws Exception {
        assertAllFail(
                client -> {
                    client.send(new FetchFrame(1, 1, 0, 1, 1, "x")::encode);
                    client.isClosedByPeer();
                },
                Reason.PROTOCOL);
    }

    @Test
    void failsAllWhenThePeerOnlyAnswersPings() throws Exception {
        hurry("spillway.shuffle.read.timeout.ms", "500");
        assertAllFail(
                client -> {
                    for (int i = 0; i < 40; i++) {
                        client.send(FrameType.PING);
                        Thread.sleep(50);
                    }
                },
                Reason.TIMED_OUT);
    }

    @Test
    void keepsWithinItsCredits() throws Exception {
        try (FakeNode node = new FakeNode(TcpClientTest::serveWithTwoCredits)) {
            for (final FetchRecorder fetch : fetchSome(node.address())) {
                assertThat(fetch.bytes()).hasSize(1000);
            }
        }
    }

    /** Reads as far as it can before it answers: a third fetch in flight would be seen. */
    private static void serveWithTwoCredits(final Peer client) throws Exception {
        client.welcome(SECRET, 2);
        for (int answered = 0; answered < 30; answered += 2) {
            final FetchFrame first = readFetch(client);
            final FetchFrame second = readFetch(client);
            Thread.sleep(10);
            assertThat(client.available()).isZero();
            client.send(answer(second, 1000)::encode);
            client.send(new byte[1000], 1000);
            client.send(answer(first, 1000)::encode);
            client.send(new byte[1000], 1000);
        }
    }

    @Test
    void answersPings() throws Exception {
        final CountDownLatch answered = new CountDownLatch(1);
        try (FakeNode node =
                new FakeNode(
                        client -> {
                            client.welcome(SECRET, 2);
                            client.send(FrameType.PING);
                            assertThat(client.read().type()).isEqualTo(FrameType.PONG);
                            answered.countDown();
                        })) {
            try (Channel channel = transport.open(node.address(), CREDENTIALS)) {
                assertThat(channel.epoch()).isOne();
                assertThat(answered.await(30, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void noticesAnIdlePeerThatIsGone() throws Exception {
        hurry("spillway.shuffle.read.timeout.ms", "500");
        final CountDownLatch noticed = new CountDownLatch(1);
        try (FakeNode node =
                new FakeNode(
                        client -> {
                            client.welcome(SECRET, 2);
                            assertThat(client.read().type()).isEqualTo(FrameType.PING);
                            noticed.await();
                        })) {
            final Channel channel = transport.open(node.address(), CREDENTIALS);
            for (int i = 0; i < 600 && channel.isOpen(); i++) {
                Thread.sleep(50);
            }
            assertThat(channel.isOpen()).isFalse();
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.TIMED_OUT);
            noticed.countDown();
        }
    }
}
