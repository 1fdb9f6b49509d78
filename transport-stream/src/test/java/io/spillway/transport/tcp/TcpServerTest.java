// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.JOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.frame.FrameHeader;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.RefusedFrame;
import io.spillway.wire.Transcript;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** How the server takes clients that are not what they should be. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class TcpServerTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(JOB, SECRET);
    private static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 1);
    private static final int MEGABYTE = 1 << 20;
    private static final ServerSettings SETTINGS =
            new ServerSettings(4096, 8 * MEGABYTE, 16 * MEGABYTE, 256, 10_000, 60_000, 2);

    private final TcpTransport transport = new TcpTransport(Map.<String, String>of()::get);
    private TestSegments segments;
    private TcpNode node;

    @BeforeEach
    void start(@TempDir final Path directory) {
        segments = new TestSegments(directory);
        segments.add(3, 1000, 300_000, MEGABYTE);
        startNode(SETTINGS);
    }

    private void startNode(final ServerSettings settings) {
        if (node != null) {
            node.close();
        }
        node = new TcpNode(segments, jobId -> JOB.equals(jobId) ? SECRET : null, settings);
    }

    @AfterEach
    void stop() {
        transport.close();
        node.close();
        assertThat(segments.openSegments()).as("segments left open").isZero();
        segments.close();
    }

    private Peer connect() throws IOException {
        return Peer.connect(node.address());
    }

    private Peer welcomed() throws IOException {
        final Peer peer = connect();
        peer.shakeHands(SECRET);
        return peer;
    }

    private void assertServesOthers() throws Exception {
        try (Channel channel = transport.open(node.address(), CREDENTIALS)) {
            assertThat(fetch(channel, SEGMENT, 0, 300_000).bytes())
                    .isEqualTo(segments.bytes(SEGMENT));
        }
    }

    /** As {@link #assertServesOthers}, when strangers have had the time that a proof takes. */
    private void awaitServesOthers() throws Exception {
        for (int i = 0; i < 100; i++) {
            try {
                assertServesOthers();
                return;
            } catch (final FetchException e) {
                assertThat(e.reason()).isEqualTo(Reason.BUSY);
                Thread.sleep(100);
            }
        }
        assertServesOthers();
    }

    private void awaitConnections(final int count) throws InterruptedException {
        for (int i = 0; i < 1000 && node.server().connectionCount() != count; i++) {
            Thread.sleep(10);
        }
        assertThat(node.server().connectionCount()).isEqualTo(count);
    }

    // ---- bytes from strangers ------------------------------------------------------------------

    @Test
    void survivesGarbage() throws Exception {
        final Random random = new Random(11);
        for (int i = 0; i < 200; i++) {
            final byte[] garbage = new byte[1 + random.nextInt(3000)];
            random.nextBytes(garbage);
            final ByteBuffer start = ByteBuffer.allocate(4).putInt(HelloFrame.MAGIC);
            System.arraycopy(start.array(), 0, garbage, 0, Math.min(garbage.length, i % 5));
            try (Peer peer = connect()) {
                peer.send(garbage, garbage.length);
            } catch (final IOException e) {
                assertThat(e).as("the node closed first").hasMessageNotContaining("refused");
            }
        }
        assertServesOthers();
        awaitConnections(0);
    }

    @Test
    void survivesGarbageAfterTheProof() throws Exception {
        final Random random = new Random(12);
        for (int i = 0; i < 100; i++) {
            final byte[] garbage = new byte[1 + random.nextInt(500)];
            random.nextBytes(garbage);
            garbage[0] = (byte) (i % 14);
            try (Peer peer = welcomed()) {
                peer.send(garbage, garbage.length);
            } catch (final IOException e) {
                assertThat(e).as("the node closed first").hasMessageNotContaining("refused");
            }
        }
        assertServesOthers();
        awaitConnections(0);
    }

    @Test
    void survivesFramesOfWhichOneByteIsWrong() throws Exception {
        final ByteBuffer frame = ByteBuffer.allocate(FetchFrame.MAX_LENGTH);
        new FetchFrame(1, 1, 0, 0, 1000, SEGMENT.output()).encode(frame, Peer.VERSION);
        final Random random = new Random(13);
        for (int i = 0; i < frame.position(); i++) {
            final byte[] changed = Arrays.copyOf(frame.array(), frame.position());
            changed[i] ^= (byte) (1 + random.nextInt(255));
            try (Peer peer = welcomed()) {
                peer.send(changed, changed.length);
            }
        }
        assertServesOthers();
        awaitConnections(0);
    }

    @Test
    void survivesConnectionsThatEndWithinAFrame() throws Exception {
        final ByteBuffer frame = ByteBuffer.allocate(HelloFrame.MAX_LENGTH);
        Peer.hello().encode(frame, Peer.VERSION);
        for (int length = 0; length < frame.position(); length++) {
            try (Peer peer = connect()) {
                peer.send(frame.array(), length);
            }
        }
        assertServesOthers();
        awaitConnections(0);
    }

    @Test
    void takesFramesByteByByte() throws Exception {
        try (Peer peer = welcomed()) {
            final ByteBuffer frame = ByteBuffer.allocate(FetchFrame.MAX_LENGTH);
            final FetchFrame fetch = new FetchFrame(5, 1, 0, 0, 10, SEGMENT.output());
            fetch.encode(frame, Peer.VERSION);
            for (int i = 0; i < frame.position(); i++) {
                peer.send(new byte[] {frame.get(i)}, 1);
            }
            final DataFrame answer = DataFrame.decode(peer.read().body(), Peer.VERSION);
            final FetchReply reply = segments.reply(SEGMENT, 0, 10);
            assertThat(answer)
                    .isEqualTo(
                            DataFrame.answering(
                                    fetch,
                                    300_000,
                                    600_000,
                                    1,
                                    10,
                                    reply.checksum(),
                                    reply.tier(),
                                    reply.records(),
                                    Peer.VERSION));
        }
    }

    @Test
    void closesOnFramesOutOfTurn() throws Exception {
        for (final FrameType type : List.of(FrameType.PING, FrameType.PONG)) {
            try (Peer peer = connect()) {
                peer.send((out, version) -> out.putInt(HelloFrame.MAGIC));
                peer.send(type);
                assertThat(peer.isClosedByPeer()).isTrue();
            }
        }
        try (Peer peer = connect()) {
            peer.send(Peer.hello()::encode);
            assertThat(peer.read().type()).isEqualTo(FrameType.CHALLENGE);
            peer.fetch(1, 1, 10);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
        try (Peer peer = welcomed()) {
            peer.send(new DataFrame(1, 1, 1, 1, 1, -1, 0, 0, 0)::encode);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
        assertServesOthers();
    }

    @Test
    void takesNoProofTwice() throws Exception {
        final HelloFrame hello;
        final AuthFrame overheard;
        try (Peer peer = connect()) {
            hello = peer.ownHello();
            peer.send(hello::encode);
            final ChallengeFrame challenge = peer.readChallenge();
            overheard = new Transcript(hello, challenge, Peer.VERSION).auth(SECRET);
            peer.send(overheard::encode);
            assertThat(peer.read().type()).isEqualTo(FrameType.WELCOME);
        }
        try (Peer peer = connect()) {
            peer.send(hello::encode);
            assertThat(peer.read().type()).isEqualTo(FrameType.CHALLENGE);
            peer.send(overheard::encode);
            final RefusedFrame refused = RefusedFrame.decode(peer.read().body());
            assertThat(refused.code()).isEqualTo(RefusedFrame.Code.UNKNOWN_JOB);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    /** Else anybody could find out which jobs there are. */
    @Test
    void anUnknownJobIsRefusedAsAWrongProofIs() throws Exception {
        assertThat(refusalOf(JOB)).isEqualTo(refusalOf("job_1700000000000_0002"));
    }

    @Test
    void aJobThatHasItsShareOfConnectionsIsRefusedNoSooner() throws Exception {
        startNode(new ServerSettings(5, MEGABYTE, MEGABYTE, 16, 10_000, 60_000, 1));
        final List<Peer> share = new ArrayList<>();
        try {
            while (share.size() < 4) {
                share.add(welcomed());
            }
            assertThat(refusalOf(JOB)).isEqualTo(refusalOf("job_1700000000000_0002"));
        } finally {
            for (final Peer peer : share) {
                peer.close();
            }
        }
    }

    /** What somebody is told who knows no secret, but for the name that he has said himself. */
    private RefusedFrame refusalOf(final String job) throws IOException {
        try (Peer peer = connect()) {
            final RefusedFrame refused = peer.refusal(job, new byte[20]);
            assertThat(peer.isClosedByPeer()).isTrue();
            return new RefusedFrame(refused.code(), refused.message().replace(job, "JOB"));
        }
    }

    @Test
    void aRefusalComesAtAFixedTimeAfterTheProof() throws Exception {
        final long fixedNanos = TimeUnit.MILLISECONDS.toNanos(10);
        for (final String job : List.of(JOB, "job_1700000000000_0002")) {
            assertThat(leastNanosOfARefusal(job)).as(job).isGreaterThan(fixedNanos);
        }
    }

    /** One of many comes as soon as it can, however busy the machine is. */
    private long leastNanosOfARefusal(final String job) throws IOException {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 30; i++) {
            final long begunNanos = System.nanoTime();
            refusalOf(job);
            least = Math.min(least, System.nanoTime() - begunNanos);
        }
        return least;
    }

    @Test
    void refusesAnotherVersion() throws Exception {
        final ByteBuffer frame = ByteBuffer.allocate(HelloFrame.MAX_LENGTH);
        Peer.hello().encode(frame, Peer.VERSION);
        frame.put(HelloFrame.MAGIC_LENGTH + FrameHeader.VERSION_OFFSET, (byte) 99);
        try (Peer peer = connect()) {
            peer.send(frame.array(), frame.position());
            final RefusedFrame refused = RefusedFrame.decode(peer.read().body());
            assertThat(refused.code()).isEqualTo(RefusedFrame.Code.VERSION);
            assertThat(refused.message()).contains("version=99");
        }
    }

    // ---- limits --------------------------------------------------------------------------------

    @Test
    void refusesMoreConnectionsThanAllowed() throws Exception {
        startNode(new ServerSettings(2, MEGABYTE, MEGABYTE, 16, 10_000, 60_000, 1));
        try (Peer first = welcomed();
                Peer second = welcomed()) {
            final FetchException failure =
                    catchThrowableOfType(
                            FetchException.class,
                            () -> transport.open(node.address(), CREDENTIALS).close());
            assertThat(failure.reason()).isEqualTo(Reason.BUSY);
            first.fetch(1, 1, 10);
            assertThat(first.read().type()).isEqualTo(FrameType.DATA);
            second.fetch(1, 1, 10);
            assertThat(second.read().type()).isEqualTo(FrameType.DATA);
        }
        awaitConnections(0);
        assertServesOthers();
    }

    @Test
    void strangersTakeNoPlaceOfClients() throws Exception {
        startNode(new ServerSettings(2, MEGABYTE, MEGABYTE, 16, 60_000, 60_000, 1));
        final List<Peer> strangers = new ArrayList<>();
        try (Peer first = welcomed()) {
            for (int i = 0; i < 7; i++) {
                strangers.add(stranger());
            }
            awaitConnections(8);
            assertServesOthers();
            first.fetch(1, 1, 10);
            assertThat(first.read().type()).isEqualTo(FrameType.DATA);
        } finally {
            for (final Peer stranger : strangers) {
                stranger.close();
            }
        }
    }

    /** As many as it takes at a time hold their connections open, and others keep coming. */
    @Test
    void strangersCannotKeepClientsOut() throws Exception {
        startNode(new ServerSettings(4, MEGABYTE, MEGABYTE, 16, 60_000, 60_000, 1));
        final List<Peer> strangers = new ArrayList<>();
        try {
            strangers.add(stranger());
            awaitConnections(1);
            for (int i = 0; i < 30; i++) {
                strangers.add(stranger());
            }
            awaitServesOthers();
            assertThat(strangers.get(0).isClosedByPeer()).isTrue();
            assertThat(node.server().connectionCount()).isLessThanOrEqualTo(9);
        } finally {
            for (final Peer stranger : strangers) {
                stranger.close();
            }
        }
    }

    /** One who goes no further than the greeting. */
    private Peer stranger() throws IOException {
        final Peer stranger = connect();
        stranger.send(new byte[] {'S', 'P', 'W', 'Y', 0}, 5);
        return stranger;
    }

    @Test
    void closesOnMoreFetchesThanCredits() throws Exception {
        startNode(new ServerSettings(10, 64 << 10, MEGABYTE, 4, 10_000, 60_000, 1));
        try (Peer peer = welcomed()) {
            for (int i = 0; i < 200; i++) {
                peer.fetch(i, 2, MEGABYTE);
            }
            assertThat(peer.isClosedByPeer()).isTrue();
        } catch (final IOException e) {
            assertThat(e).as("the node closed first").hasMessageNotContaining("timed out");
        }
        awaitConnections(0);
        assertServesOthers();
    }

    @Test
    void refusesTooLongARequestAndGoesOn() throws Exception {
        startNode(new ServerSettings(10, MEGABYTE, 5000, 16, 10_000, 60_000, 1));
        try (Peer peer = welcomed()) {
            peer.fetch(1, 1, 5001);
            assertThat(peer.read().type()).isEqualTo(FrameType.FAILED);
            peer.fetch(2, 1, 5000);
            assertThat(DataFrame.decode(peer.read().body(), Peer.VERSION).length()).isEqualTo(5000);
        }
        try (Channel channel = transport.open(node.address(), CREDENTIALS)) {
            assertThat(fetch(channel, SEGMENT, 0, 5001).failure().reason())
                    .isEqualTo(Reason.OUT_OF_RANGE);
            assertThat(fetch(channel, SEGMENT, 0, 5000).bytes()).hasSize(5000);
        }
    }

    @Test
    void holdsBackAnswersToAClientThatDoesNotRead() throws Exception {
        startNode(new ServerSettings(10, 64 << 10, MEGABYTE, 256, 10_000, 60_000, 1));
        final byte[] expected = segments.bytes(new SegmentId(SEGMENT.output(), 2));
        try (Peer peer = welcomed()) {
            for (int i = 0; i < 60; i++) {
                peer.fetch(i, 2, MEGABYTE);
            }
            for (int i = 0; i < 50; i++) {
                Thread.sleep(10);
                assertThat(segments.openSegments()).isLessThanOrEqualTo(1);
            }
            for (int i = 0; i < 60; i++) {
                assertThat(DataFrame.decode(peer.read().body(), Peer.VERSION).requestId())
                        .isEqualTo(i);
                assertThat(peer.readBytes(MEGABYTE)).isEqualTo(expected);
            }
        }
    }

    @Test
    void closesConnectionsWithoutAProofInTime() throws Exception {
        startNode(new ServerSettings(10, MEGABYTE, MEGABYTE, 16, 3_000, 60_000, 1));
        try (Peer silent = connect();
                Peer half = connect();
                Peer proved = welcomed()) {
            half.send(Peer.hello()::encode);
            assertThat(half.isClosedByPeer()).isTrue();
            assertThat(silent.isClosedByPeer()).isTrue();
            proved.fetch(1, 1, 10);
            assertThat(proved.read().type()).isEqualTo(FrameType.DATA);
        }
    }

    @Test
    void pingsIdleClientsAndClosesThoseThatAreGone() throws Exception {
        startNode(new ServerSettings(10, MEGABYTE, MEGABYTE, 16, 10_000, 1_600, 1));
        try (Peer gone = welcomed();
                Peer alive = welcomed()) {
            for (int i = 0; i < 5; i++) {
                assertThat(alive.read().type()).isEqualTo(FrameType.PING);
                alive.send(FrameType.PONG);
            }
            assertThat(gone.isClosedByPeer()).isTrue();
            alive.fetch(1, 1, 10);
            assertThat(alive.read().type()).isIn(FrameType.DATA, FrameType.PING);
        }
    }

    @Test
    void closesAClientThatNeverReads() throws Exception {
        startNode(new ServerSettings(10, 64 << 10, MEGABYTE, 256, 10_000, 800, 1));
        try (Peer peer = welcomed()) {
            for (int i = 0; i < 60; i++) {
                peer.fetch(i, 2, MEGABYTE);
            }
            awaitConnections(0);
        }
        assertThat(segments.openSegments()).isZero();
    }

    @Test
    void servesOthersWhileAClientFloodsItWithPings() throws Exception {
        final byte[] pings = new byte[MEGABYTE];
        final ByteBuffer out = ByteBuffer.wrap(pings);
        while (out.remaining() >= FrameHeader.LENGTH) {
            FrameHeader.encode(out, FrameType.PING, Peer.VERSION, 0);
        }
        try (Peer peer = welcomed()) {
            peer.send(pings, out.position());
            assertThat(peer.read().type()).isEqualTo(FrameType.PONG);
            assertServesOthers();
        }
    }

    // ---- ends ----------------------------------------------------------------------------------

    @Test
    void closesWhenAMapOutputIsTruncatedUnderIt() throws Exception {
        segments.truncate(3, 100_000);
        try (Channel channel = transport.open(node.address(), CREDENTIALS)) {
            final List<FetchRecorder> fetches = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                fetches.add(fetch(channel, SEGMENT, 0, 300_000));
            }
            for (final FetchRecorder fetch : fetches) {
                assertThat(fetch.failure().reason()).isEqualTo(Reason.DISCONNECTED);
            }
        }
        final SegmentId whole = new SegmentId(SEGMENT.output(), 0);
        try (Channel channel = transport.open(node.address(), CREDENTIALS)) {
            assertThat(fetch(channel, whole, 0, 1000).bytes()).isEqualTo(segments.bytes(whole));
        }
    }

    @Test
    void endsTheConnectionsOfAJob() throws Exception {
        final Channel channel = transport.open(node.address(), CREDENTIALS);
        assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
        node.server().dropJob("job_1700000000000_0002");
        assertThat(fetch(channel, SEGMENT, 0, 10).bytes()).hasSize(10);
        node.server().dropJob(JOB);
        awaitConnections(0);
        assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                .isEqualTo(Reason.DISCONNECTED);
    }

    /**
     * The job ends after its secret was looked up for the proof, and before the client learns of
     * it.
     */
    @Test
    void endsAConnectionWhoseJobEndsWhileItIsProved() throws Exception {
        node.close();
        final AtomicInteger lookups = new AtomicInteger();
        node =
                new TcpNode(
                        segments,
                        jobId -> {
                            lookups.incrementAndGet();
                            node.server().dropJob(jobId);
                            return SECRET;
                        },
                        SETTINGS);
        try (Peer peer = connect()) {
            assertThatThrownBy(() -> peer.shakeHands(SECRET)).isInstanceOf(IOException.class);
            awaitConnections(0);
        }
        assertThat(lookups).hasValue(1);
    }
}
