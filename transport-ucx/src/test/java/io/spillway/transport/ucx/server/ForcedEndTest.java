// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.bootstrap.Bootstrap;
import io.spillway.bootstrap.BootstrapClient;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.seed.TestSeed;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.ucx.Ucx;
import io.spillway.transport.ucx.client.UcxTransport;
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
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.openucx.jucx.UcxCallback;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpRequest;
import org.openucx.jucx.ucs.UcsConstants;

/**
 * Clients that leave in the middle of everything. Their endpoints are closed by force, at either
 * end first: while they connect, while answers of every size are on their way, and while answers
 * are received. How many clients there are is a property ({@code spillway.test.ucx.ends}).
 */
@Timeout(300)
final class ForcedEndTest {
    private static final int ENDS = Integer.getInteger("spillway.test.ucx.ends", 100);
    private static final int CLIENTS_AT_ONCE = 16;
    private static final int[] LENGTHS = {10, 5_000, 100_000, 1 << 20};
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);

    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();
    private final AtomicInteger received = new AtomicInteger();
    private final Map<Long, CountDownLatch> opened = new ConcurrentHashMap<>();
    private final Map<Long, Link> links = new ConcurrentHashMap<>();
    private final ByteBuffer target = ByteBuffer.allocateDirect(1 << 20);
    private UcxThread patient;
    private UcxThread hasty;
    private UcxSegmentServer server;

    @BeforeAll
    static void needsUcx() {
        Ucx.require();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "tcp"})
    void nodeGoesOnAndEveryMessageEndsOnce(final String tls, @TempDir final Path folder)
            throws Exception {
        final Map<String, String> settings = Map.of("spillway.ucx.tls", tls);
        final Random seeds = new Random(TestSeed.fresh(ForcedEndTest.class));
        final ExecutorService clients = Executors.newFixedThreadPool(CLIENTS_AT_ONCE);
        patient = newStranger("patient", settings);
        hasty = newStranger("hasty", settings);
        try (TestSegments segments = new TestSegments(folder);
                BootstrapClient door = Bootstrap.load().newClient(n -> null, DirectMemory.SYSTEM)) {
            segments.add(3, LENGTHS);
            server =
                    new UcxSegmentServer("127.0.0.1", 0, segments, job -> SECRET, settings::get, 7);
            final List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < ENDS; i++) {
                final long id = i;
                final Random random = new Random(seeds.nextLong());
                ends.add(clients.submit(() -> comeAndGo(door, id, random)));
            }
            for (final Future<?> end : ends) {
                end.get(200, TimeUnit.SECONDS);
            }
            awaitZero(() -> server.stats().connections());
            awaitZero(() -> onThread(patient, patient::endingLinks));
            awaitZero(() -> onThread(hasty, hasty::endingLinks));
            final UcxThread node = server.worker().thread();
            awaitZero(() -> onThread(node, node::endingLinks));
            awaitZero(() -> onThread(node, () -> (int) node.buffers().usedBytes()));
            awaitZero(() -> sent.get() - told.get());
            assertServes(settings, segments);
        } finally {
            clients.shutdownNow();
            patient.close();
            hasty.close();
            if (server != null) {
                server.close();
            }
        }
        assertThat(told).hasValue(sent.get());
        assertThat(received).hasPositiveValue();
    }

    private UcxThread newStranger(final String name, final Map<String, String> settings)
            throws IOException {
        final UcxThread thread =
                new UcxThread(name, UcxSettings.from(settings::get), DirectMemory.SYSTEM);
        thread.worker()
                .setAmRecvHandler(
                        Link.MESSAGE, (at, length, data, r) -> onMessage(thread, at, length, data));
        thread.start(() -> {}, () -> {});
        return thread;
    }

    private Void comeAndGo(final BootstrapClient door, final long id, final Random random)
            throws Exception {
        final UcxThread stranger = random.nextInt(5) > 0 ? patient : hasty;
        final CountDownLatch pong = new CountDownLatch(1);
        opened.put(id, pong);
        final ControlConnection control =
                door.open(server.address(), new JobCredentials(JOB, SECRET));
        final EndpointFrame node =
                control.join(new EndpointFrame(id, stranger.workerAddress()))
                        .get(10, TimeUnit.SECONDS);
        final Envelope envelope = new Envelope(node.id(), control.node().version());
        final PathSeal seal = PathSeal.ofClient(control.keys());
        final Link link =
                onThread(stranger, () -> connect(stranger, id, node.address(), seal, envelope));
        if (stranger == patient) {
            assertThat(pong.await(20, TimeUnit.SECONDS)).as("the node answers").isTrue();
            fetchSome(stranger, link, envelope, random);
        }
        if (random.nextBoolean()) {
            TimeUnit.MICROSECONDS.sleep(random.nextInt(3_000));
        }
        if (random.nextBoolean()) {
            control.close();
        }
        if (random.nextBoolean()) {
            TimeUnit.MICROSECONDS.sleep(random.nextInt(1_000));
        }
        stranger.execute(
                () -> {
                    link.peerLeft();
                    link.close();
                });
        control.close();
        return null;
    }

    /** UCX tells endpoints of one pair of workers apart by the order of their first messages. */
    private Link connect(
            final UcxThread stranger,
            final long id,
            final ByteBuffer address,
            final PathSeal seal,
            final Envelope envelope) {
        final Link link = new Link(stranger, address, seal, (status, why) -> {});
        links.put(id, link);
        sent.incrementAndGet();
        link.send(envelope, FrameType.PING, wentOut -> told.incrementAndGet());
        return link;
    }

    private void fetchSome(
            final UcxThread stranger,
            final Link link,
            final Envelope envelope,
            final Random random) {
        final int count = random.nextInt(8);
        final long seed = random.nextLong();
        sent.addAndGet(count);
        stranger.execute(
                () -> {
                    final Random choice = new Random(seed);
                    for (int i = 0; i < count; i++) {
                        final int partition = choice.nextInt(LENGTHS.length);
                        final Message message = link.newMessage(envelope);
                        new FetchFrame(i, partition, 0, 0, LENGTHS[partition], attempt(3))
                                .encode(message.header(), envelope.version());
                        message.tell(wentOut -> told.incrementAndGet());
                        link.send(message, 0, 0, null);
                    }
                });
    }

    private int onMessage(
            final UcxThread stranger, final long header, final long length, final UcpAmData data) {
        final long to = UcxUtils.getByteBufferView(header, length).getLong();
        opened.get(to).countDown();
        if (data.getLength() == 0 || data.isDataValid()) {
            received.incrementAndGet();
            return UcsConstants.STATUS.UCS_OK;
        }
        final Link link = links.get(to);
        link.operationBegan();
        stranger.worker()
                .recvAmDataNonBlocking(
                        data.getDataHandle(),
                        UcxUtils.getAddress(target),
                        data.getLength(),
                        new UcxCallback() {
                            @Override
                            public void onSuccess(final UcpRequest request) {
                                received.incrementAndGet();
                                link.operationEnded();
                            }

                            @Override
                            public void onError(final int status, final String why) {
                                link.operationEnded();
                            }
                        },
                        UcsConstants.MEMORY_TYPE.UCS_MEMORY_TYPE_UNKNOWN);
        return UcsConstants.STATUS.UCS_OK;
    }

    private void assertServes(final Map<String, String> settings, final TestSegments segments)
            throws Exception {
        final SegmentId segment = new SegmentId(attempt(3), LENGTHS.length - 1);
        try (UcxTransport transport = new UcxTransport(settings::get);
                Channel channel =
                        transport.open(server.address(), new JobCredentials(JOB, SECRET))) {
            assertThat(FetchRecorder.fetch(channel, segment, 0, 1 << 20).bytes())
                    .isEqualTo(segments.bytes(segment));
        }
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

    private static void awaitZero(final Callable<Integer> number) throws Exception {
        final long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (number.call() != 0 && System.nanoTime() - deadline < 0) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(number.call()).isZero();
    }
}
