// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static io.spillway.transport.TestSegments.JOB;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.bootstrap.ControlConnection;
import io.spillway.bootstrap.OtherPath;
import io.spillway.protocol.ServerSettings;
import io.spillway.seal.MessageOpener;
import io.spillway.seal.MessageSeal;
import io.spillway.seal.SealKeys;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.TestSegments;
import io.spillway.transport.tcp.server.TcpNodeServer;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How clients come from their connection to another path, and what both ends learn of each other.
 */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
final class OtherPathTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final JobCredentials CREDENTIALS = new JobCredentials(JOB, SECRET);
    private static final EndpointFrame OF_CLIENT =
            new EndpointFrame(5, ByteBuffer.wrap(new byte[300]));
    private static final EndpointFrame OF_NODE =
            new EndpointFrame(-7, ByteBuffer.wrap(new byte[2000]));
    private static final long PATIENCE_SECONDS = 20;

    private final TcpTransport transport = new TcpTransport(Map.<String, String>of()::get);
    private final BlockingQueue<Joined> joined = new LinkedBlockingQueue<>();
    private TestSegments segments;
    private TcpNodeServer node;

    /** A client that came, and whether it has left. */
    private record Joined(
            OtherPath.Client client, EndpointFrame frame, CompletableFuture<Void> left) {}

    @BeforeEach
    void start(@TempDir final Path directory) throws IOException {
        segments = new TestSegments(directory);
        node = newNode(this::open);
    }

    private TcpNodeServer newNode(final OtherPath otherPath) throws IOException {
        return TcpNodeServer.start(
                "127.0.0.1",
                0,
                new StreamServer(
                        segments,
                        job -> JOB.equals(job) ? SECRET : null,
                        ServerSettings.from(name -> null),
                        1,
                        List::of,
                        otherPath));
    }

    private OtherPath.Session open(final OtherPath.Client client, final EndpointFrame frame) {
        final CompletableFuture<Void> left = new CompletableFuture<>();
        joined.add(new Joined(client, frame, left));
        return () -> left.complete(null);
    }

    private Joined awaitJoined() throws InterruptedException {
        final Joined next = joined.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(next).isNotNull();
        return next;
    }

    private ControlConnection connect() throws FetchException {
        return transport.openControl(node.address(), CREDENTIALS);
    }

    private static <T> T await(final CompletableFuture<T> future) throws Exception {
        return future.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    }

    private static void assertDisconnected(final ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOf(ExecutionException.class)
                .cause()
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.DISCONNECTED));
    }

    @AfterEach
    void stop() {
        transport.close();
        node.close();
        segments.close();
    }

    @Test
    void tellsEachSideWhereTheOtherIs() throws Exception {
        final CompletableFuture<EndpointFrame> answer = connect().join(OF_CLIENT);
        final Joined client = awaitJoined();
        assertThat(client.frame()).isEqualTo(OF_CLIENT);
        assertThat(client.client().jobId()).isEqualTo(JOB);
        assertThat(client.client().prefetch()).isTrue();
        assertThat(client.client().address().isLoopbackAddress()).isTrue();
        assertThat(client.client().name()).contains(JOB);
        assertThat(answer).isNotDone();
        client.client().answer(OF_NODE);
        assertThat(await(answer)).isEqualTo(OF_NODE);
    }

    @Test
    void tellsTheNodeWhenTheClientLeaves() throws Exception {
        final ControlConnection control = connect();
        final CompletableFuture<EndpointFrame> answer = control.join(OF_CLIENT);
        final Joined client = awaitJoined();
        assertThat(client.left()).isNotDone();
        control.close();
        await(client.left());
        assertThat(await(control.ended()).reason()).isEqualTo(Reason.DISCONNECTED);
        assertDisconnected(() -> await(answer));
    }

    @Test
    void tellsTheClientWhenTheNodeEndsOrDropsIt() throws Exception {
        final ControlConnection first = connect();
        final CompletableFuture<EndpointFrame> refused = first.join(OF_CLIENT);
        awaitJoined().client().drop("no way to it");
        assertDisconnected(() -> await(refused));
        assertThat(await(first.ended()).reason()).isEqualTo(Reason.DISCONNECTED);

        final ControlConnection second = connect();
        final CompletableFuture<EndpointFrame> answer = second.join(OF_CLIENT);
        final Joined client = awaitJoined();
        client.client().answer(OF_NODE);
        assertThat(await(answer)).isEqualTo(OF_NODE);
        node.close();
        await(client.left());
        assertThat(await(second.ended()).reason()).isEqualTo(Reason.DISCONNECTED);
    }

    @Test
    void takesOneJoinAConnection() throws Exception {
        final ControlConnection control = connect();
        final CompletableFuture<EndpointFrame> first = control.join(OF_CLIENT);
        final Joined client = awaitJoined();
        assertThat(control.join(OF_CLIENT)).isSameAs(first);
        await(client.left());
        assertThat(joined).isEmpty();
    }

    @Test
    void takesNoneWhereThereIsNoOtherPath() throws Exception {
        node.close();
        node = newNode(null);
        final CompletableFuture<EndpointFrame> answer = connect().join(OF_CLIENT);
        assertDisconnected(() -> await(answer));
    }

    @Test
    void failsAtOnceWhenTheTransportIsClosed() throws Exception {
        final ControlConnection control = connect();
        transport.close();
        assertDisconnected(() -> await(control.join(OF_CLIENT)));
    }

    /** An unprotected path beside a protected connection is refused. */
    @Test
    void takesNoneInASessionThatProtectsNoOtherPath() throws Exception {
        try (Peer former = Peer.connect(node.address()).speaking(FrameType.V13)) {
            former.shakeHands(SECRET);
            former.send(OF_CLIENT::encode);
            assertThat(former.isClosedByPeer()).isTrue();
        }
        assertThat(joined).isEmpty();
    }

    @Test
    void bothSidesOfAnotherPathKnowTheKeysOfTheSession() throws Exception {
        final ControlConnection control = connect();
        final CompletableFuture<EndpointFrame> unused = control.join(OF_CLIENT);
        final OtherPath.Client client = awaitJoined().client();
        final ByteBuffer header = ByteBuffer.allocate(100);
        final MessageSeal seal = new MessageSeal(control.keys().orElseThrow().ofClient(), 50);
        final long number = seal.reserve();
        header.putLong(number).putInt(12345);
        seal.sealHeader(number, header, MessageSeal.NUMBER_LENGTH);
        final SealKeys known = client.keys().orElseThrow().ofClient();
        assertThat(new MessageOpener(known, 50).open(header.flip(), 0).header().getInt())
                .isEqualTo(12345);
    }
}
