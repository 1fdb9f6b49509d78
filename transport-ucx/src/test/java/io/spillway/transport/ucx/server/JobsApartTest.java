// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bootstrap.Bootstrap;
import io.spillway.bootstrap.BootstrapClient;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.ucx.Ucx;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.worker.BufferPool;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.Message;
import io.spillway.transport.ucx.worker.PathSeal;
import io.spillway.transport.ucx.worker.UcxSettings;
import io.spillway.transport.ucx.worker.UcxThread;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucs.UcsConstants;

/** Jobs of one node share its registered memory, and get at nothing of each other in it. */
@Timeout(120)
final class JobsApartTest {
    private static final String OTHER = "job_1700000000000_0002";
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final int MEBIBYTE = 1 << 20;
    private static final int LENGTH = 4 * MEBIBYTE;
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 0);
    private static final Map<String, String> LITTLE = Map.of("spillway.ucx.buffer.bytes", "16m");
    private static final int SLOW = 8;

    private final Semaphore pongs = new Semaphore(0);
    private final Queue<Long> notTaken = new ConcurrentLinkedQueue<>();
    private TestSegments segments;
    private UcxSegmentServer server;
    private UcxTransport transport;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @BeforeEach
    void start(@TempDir final Path folder) throws IOException {
        segments = new TestSegments(folder);
        segments.add(3, LENGTH);
        server =
                new UcxSegmentServer(
                        "127.0.0.1",
                        0,
                        (job, segment) -> segments.open(JOB, segment),
                        job -> SECRET,
                        LITTLE::get,
                        7);
        transport = new UcxTransport(LITTLE::get);
    }

    @AfterEach
    void stop() {
        transport.close();
        server.close();
        segments.close();
    }

    private Channel open(final String job) throws FetchException {
        return transport.open(server.address(), new JobCredentials(job, SECRET));
    }

    private BufferPool buffers() {
        return server.worker().thread().buffers();
    }

    private long registered() throws Exception {
        return onThread(server.worker().thread(), () -> buffers().registeredBytes());
    }

    private static <T> T onThread(final UcxThread thread, final Callable<T> task) throws Exception {
        final CompletableFuture<T> result = new CompletableFuture<>();
        thread.execute(
                () -> {
                    try {
                        result.complete(task.call());
                    } catch (final Exception e) {
                        result.completeExceptionally(e);
                    }
                });
        return result.get(30, TimeUnit.SECONDS);
    }

    @Test
    void eachJobHasRegistrationsOfItsOwn() throws Exception {
        try (Channel one = open(JOB);
                Channel other = open(OTHER)) {
            assertThat(FetchRecorder.fetch(one, SEGMENT, 0, 1000).bytes()).hasSize(1000);
            assertThat(registered()).isEqualTo(MEBIBYTE);
            assertThat(FetchRecorder.fetch(other, SEGMENT, 0, 1000).bytes()).hasSize(1000);
            assertThat(registered()).isEqualTo(2 * MEBIBYTE);
            assertThat(FetchRecorder.fetch(one, SEGMENT, 0, 1000).bytes()).hasSize(1000);
            assertThat(registered()).as("again from what it has").isEqualTo(2 * MEBIBYTE);
        }
    }

    /** UCX would register it for the send, with what is beside it of other jobs. */
    @Test
    void whatIsReadAheadIsNotSentFromWhereItLies() throws Exception {
        segments.cache();
        try (Channel channel = open(JOB)) {
            assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, 2).bytes()).hasSize(2);
        }
        assertThat(segments.askedForCached()).as("in one piece outside the heap").isOne();
        assertThat(registered()).isEqualTo(MEBIBYTE);
    }

    @Test
    void clientsThatTakeNothingCostTheirOwnJobOnly() throws Exception {
        final UcxThread slow =
                new UcxThread("slow", UcxSettings.from(LITTLE::get), DirectMemory.SYSTEM);
        slow.worker().setAmRecvHandler(Link.MESSAGE, (at, length, data, r) -> onMessage(data));
        slow.start(() -> {}, () -> {});
        final List<ControlConnection> clients = new ArrayList<>();
        final List<Link> links = new ArrayList<>();
        try (BootstrapClient door = Bootstrap.load().newClient(n -> null, DirectMemory.SYSTEM)) {
            for (int i = 0; i < SLOW; i++) {
                final ControlConnection client =
                        door.open(server.address(), new JobCredentials(OTHER, SECRET));
                clients.add(client);
                links.add(fetchAll(slow, client, i));
            }
            final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
            while (notTaken.size() < 3 && System.nanoTime() < deadline) {
                TimeUnit.MILLISECONDS.sleep(10);
            }
            assertThat(notTaken).as("announced, and not taken").hasSizeGreaterThanOrEqualTo(3);
            try (Channel channel = open(JOB)) {
                for (int i = 0; i < 20; i++) {
                    assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, MEBIBYTE).bytes())
                            .hasSize(MEBIBYTE);
                }
            }
        } finally {
            clients.forEach(ControlConnection::close);
            onThread(slow, () -> release(slow, links));
            slow.close();
        }
    }

    private Link fetchAll(final UcxThread slow, final ControlConnection client, final int id)
            throws Exception {
        final EndpointFrame node =
                client.join(new EndpointFrame(id, slow.workerAddress())).get(10, TimeUnit.SECONDS);
        final Envelope envelope = new Envelope(node.id(), client.node().version());
        final PathSeal seal = PathSeal.ofClient(client.keys());
        final Link link =
                onThread(slow, () -> new Link(slow, node.address(), seal, (status, why) -> {}));
        slow.execute(() -> link.send(envelope, FrameType.PING, wentOut -> {}));
        assertThat(pongs.tryAcquire(10, TimeUnit.SECONDS)).isTrue();
        return onThread(
                slow,
                () -> {
                    final Message message = link.newMessage(envelope);
                    new FetchFrame(0, 0, 0, 0, LENGTH, attempt(3))
                            .encode(message.header(), envelope.version());
                    link.send(message, 0, 0, null);
                    return link;
                });
    }

    /** Keeps what is announced, and never receives it. */
    private int onMessage(final UcpAmData data) {
        if (data.getLength() == 0) {
            pongs.release();
            return UcsConstants.STATUS.UCS_OK;
        }
        notTaken.add(data.getDataHandle());
        return UcsConstants.STATUS.UCS_INPROGRESS;
    }

    private Void release(final UcxThread slow, final List<Link> links) {
        notTaken.forEach(slow.worker()::amDataRelease);
        links.forEach(
                link -> {
                    link.peerLeft();
                    link.close();
                });
        return null;
    }
}
