// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.frame.FrameHeader;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.GatedSink;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SourceOnly;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.wire.AbortFrame;
import io.spillway.wire.AckFrame;
import io.spillway.wire.CommitFrame;
import io.spillway.wire.FailedFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.PutFrame;
import io.spillway.wire.SegmentTable;
import io.spillway.wire.Transcript;
import io.spillway.wire.WelcomeFrame;
import io.spillway.wire.WriteFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How the server takes puts that are not what they should be. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class TcpPutServerTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 1);
    private static final byte[] BYTES = "a piece of a segment".getBytes(StandardCharsets.US_ASCII);

    private final MemorySegments store =
            new MemorySegments(1 << 20, 4096, this::secret, DirectMemory.SYSTEM);
    private TcpNode node;

    private byte[] secret(final String job) {
        return JOB.equals(job) ? SECRET : null;
    }

    private Peer connect(final SegmentSource source, final ServerSettings settings)
            throws IOException {
        node = new TcpNode(source, this::secret, settings);
        return Peer.connect(node.address());
    }

    private static ServerSettings settings() {
        return ServerSettings.from(name -> null).withPuts(2, 100, 100);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private static int crcOf(final byte[] bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static PutFrame put(final long id, final long offset) {
        return new PutFrame(id, SEGMENT, offset, BYTES.length, crcOf(BYTES));
    }

    private static CommitFrame commit(final long id, final int segments, final int checksum) {
        final int length = segments * SegmentTable.entryLength(Peer.VERSION);
        return new CommitFrame(id, segments, 0, segments, length, checksum, "output");
    }

    private static void send(final Peer peer, final WriteFrame frame, final byte[] payload)
            throws IOException {
        peer.send(frame::encode);
        peer.send(payload, payload.length);
    }

    private static void requireAck(final Peer peer, final WriteFrame frame) throws IOException {
        final Peer.Frame answer = peer.read();
        assertThat(answer.type()).isEqualTo(FrameType.ACK);
        assertThat(AckFrame.decode(answer.body()))
                .isEqualTo(new AckFrame(frame.requestId(), frame.guard(Peer.VERSION)));
    }

    private static void requireFailed(
            final Peer peer, final long requestId, final FailedFrame.Code code) throws IOException {
        final FailedFrame answer = FailedFrame.decode(peer.read().body());
        assertThat(answer.requestId()).isEqualTo(requestId);
        assertThat(answer.code()).isEqualTo(code);
        assertThat(answer.message()).isNotEmpty();
    }

    @Test
    void takesAPutByteByByteAndSaysWhatItAllows() throws Exception {
        try (Peer peer = connect(store, settings())) {
            final WelcomeFrame welcome = peer.shakeHands(SECRET);
            assertThat(welcome.putCredits()).isEqualTo(2);
            assertThat(welcome.putBytes()).isEqualTo(100);
            final ByteBuffer frame = ByteBuffer.allocate(PutFrame.MAX_LENGTH + BYTES.length);
            put(5, 0).encode(frame, Peer.VERSION);
            frame.put(BYTES).flip();
            while (frame.hasRemaining()) {
                peer.send(new byte[] {frame.get()}, 1);
            }
            requireAck(peer, put(5, 0));
        }
    }

    @Test
    void aNodeWithoutASinkSkipsWhatIsPutAllTheSame() throws Exception {
        try (Peer peer = connect(new SourceOnly(store), settings())) {
            assertThat(peer.shakeHands(SECRET).putCredits()).isZero();
            send(peer, put(5, 0), BYTES);
            requireFailed(peer, 5, FailedFrame.Code.NO_SINK);
            send(peer, new AbortFrame(6, "output"), new byte[0]);
            requireFailed(peer, 6, FailedFrame.Code.NO_SINK);
            peer.send(FrameType.PING);
            assertThat(peer.read().type()).isEqualTo(FrameType.PONG);
        }
    }

    @Test
    void damagedBytesFailTheirPutAndDamagedFramesTheirConnection() throws Exception {
        try (Peer peer = connect(store, settings())) {
            peer.shakeHands(SECRET);
            final byte[] damaged = BYTES.clone();
            damaged[7] ^= (byte) 4;
            send(peer, put(5, 0), damaged);
            requireFailed(peer, 5, FailedFrame.Code.DAMAGED);
            send(peer, put(6, 0), BYTES);
            requireAck(peer, put(6, 0));
            peer.send(
                    (out, version) -> {
                        put(7, 64).encode(out, version);
                        out.put(FrameHeader.LENGTH + Long.BYTES + 2 * Integer.BYTES + 7, (byte) 65);
                    });
            assertThat(peer.isClosedByPeer()).isTrue();
        }
    }

    @Test
    void refusesATableThatIsNone() throws Exception {
        try (Peer peer = connect(store, settings())) {
            peer.shakeHands(SECRET);
            final byte[] table = new byte[SegmentTable.entryLength(Peer.VERSION)];
            table[0] = -1;
            send(peer, commit(5, 1, crcOf(table)), table);
            requireFailed(peer, 5, FailedFrame.Code.OUT_OF_RANGE);
            final byte[] twice = new byte[2 * SegmentTable.entryLength(Peer.VERSION)];
            send(peer, commit(6, 2, crcOf(twice)), twice);
            requireFailed(peer, 6, FailedFrame.Code.OUT_OF_RANGE);
            send(peer, commit(7, 1, 1), new byte[SegmentTable.entryLength(Peer.VERSION)]);
            requireFailed(peer, 7, FailedFrame.Code.DAMAGED);
        }
    }

    @Test
    void dropsAClientThatPutsMoreThanItsCredits() throws Exception {
        final GatedSink gate = new GatedSink(store);
        try (Peer peer = connect(gate, settings())) {
            peer.shakeHands(SECRET);
            send(peer, put(1, 0), BYTES);
            send(peer, put(2, 100), BYTES);
            gate.awaitHeld(2);
            peer.send(put(3, 200)::encode);
            assertThat(peer.isClosedByPeer()).isTrue();
            assertThat(gate.heldCount()).isEqualTo(2);
        }
        try (Peer peer = Peer.connect(node.address())) {
            peer.shakeHands(SECRET);
            peer.send(new PutFrame(1, SEGMENT, 0, 101, 0)::encode);
            assertThat(peer.isClosedByPeer()).isTrue();
        }
        gate.open();
        store.dropJob(JOB);
        assertThat(store.used()).isZero();
    }

    /**
     * What is held for a job is kept as long: a connection that has not proved itself counts not.
     */
    @Test
    void aJobIsInUseWhileAProvedConnectionOfItLives() throws Exception {
        try (Peer proved = connect(store, settings());
                Peer unproved = Peer.connect(node.address())) {
            unproved.send(new byte[] {'S'}, 1);
            assertThat(jobsInUse()).isEmpty();
            proved.shakeHands(SECRET);
            assertThat(jobsInUse()).containsExactly(JOB);
        }
        for (int i = 0; i < 1000 && !jobsInUse().isEmpty(); i++) {
            Thread.sleep(5);
        }
        assertThat(jobsInUse()).isEmpty();
    }

    private Set<String> jobsInUse() {
        final Set<String> jobs = new HashSet<>();
        node.server().addJobsInUse(jobs);
        return jobs;
    }

    @Test
    void aClientThatLeavesInMidPutLeavesNothing() throws Exception {
        try (Peer peer = connect(store, settings())) {
            peer.shakeHands(SECRET);
            peer.send(put(1, 0)::encode);
            peer.send(BYTES, BYTES.length - 1);
            for (int i = 0; i < 1000 && store.used() == 0; i++) {
                Thread.sleep(5);
            }
            assertThat(store.used()).isPositive();
        }
        for (int i = 0; i < 1000 && node.server().connectionCount() > 0; i++) {
            Thread.sleep(5);
        }
        try (Peer peer = Peer.connect(node.address())) {
            peer.shakeHands(SECRET);
            send(peer, put(1, 0), BYTES);
            requireAck(peer, put(1, 0));
        }
        store.dropJob(JOB);
        assertThat(store.used()).isZero();
    }

    /** Somebody on the way adds frames to the client's proof, which the node has not answered. */
    @Test
    void whatComesUnsealedBehindAProofIsNotDone() throws Exception {
        try (Peer peer = connect(store, settings())) {
            peer.shakeHands(SECRET);
            send(peer, put(1, 0), BYTES);
            requireAck(peer, put(1, 0));
        }
        try (Peer peer = Peer.connect(node.address())) {
            final HelloFrame hello = peer.ownHello();
            peer.send(hello::encode);
            final Transcript transcript = new Transcript(hello, peer.readChallenge(), Peer.VERSION);
            peer.send(
                    (out, version) -> {
                        transcript.auth(SECRET).encode(out, version);
                        new AbortFrame(2, SEGMENT.output()).encode(out, version);
                    });
            assertThat(peer.isClosedByPeer()).isTrue();
        }
        node.close();
        assertThat(store.used()).isPositive();
    }
}
