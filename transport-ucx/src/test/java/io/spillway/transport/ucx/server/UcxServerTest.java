// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.bootstrap.Bootstrap;
import io.spillway.bootstrap.BootstrapClient;
import io.spillway.bootstrap.ControlConnection;
import io.spillway.frame.FrameHeader;
import io.spillway.host.ListeningPorts;
import io.spillway.protocol.ServerSettings;
import io.spillway.seal.Protection;
import io.spillway.seed.TestSeed;
import io.spillway.thread.Uninterrupted;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.TestSegments;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.ucx.Ucx;
import io.spillway.transport.ucx.client.ClientInternals;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.Message;
import io.spillway.transport.ucx.worker.PathSeal;
import io.spillway.transport.ucx.worker.UcxSettings;
import io.spillway.transport.ucx.worker.UcxThread;
import io.spillway.version.VersionRange;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FrameType;
import java.io.File;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
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
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What strangers, crowds and time do to a node. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class UcxServerTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 0);
    private static final int LENGTH = 400_000;
    private static final long PATIENCE_MILLIS = 20_000;
    private static final long GARBAGE_MILLIS = 3_000;
    private static final int STRANGERS = 600;

    /** More messages than may overtake one. */
    private static final int OTHERS = 16_500;

    private static final int AT_ONCE = 50;

    private final Map<String, byte[]> secrets = new ConcurrentHashMap<>();
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
        segments.add(3, LENGTH, 10);
        secrets.put(JOB, SECRET);
        server = newServer(Map.of());
        transport = new UcxTransport(name -> null);
    }

    private UcxSegmentServer newServer(final Map<String, String> settings) throws IOException {
        return new UcxSegmentServer("127.0.0.1", 0, segments, secrets::get, settings::get, 7);
    }

    @AfterEach
    void stop() {
        transport.close();
        server.close();
        segments.close();
        assertThat(segments.openSegments()).isZero();
    }

    private Channel open() throws FetchException {
        return transport.open(server.address(), new JobCredentials(JOB, SECRET));
    }

    private void assertServes() throws Exception {
        try (Channel channel = open()) {
            assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).bytes())
                    .isEqualTo(segments.bytes(SEGMENT));
        }
    }

    private void awaitConnections(final int expected) throws InterruptedException {
        final long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (server.stats().connections() != expected && System.currentTimeMillis() < deadline) {
            Thread.sleep(20);
        }
        assertThat(server.stats().connections()).isEqualTo(expected);
    }

    // ---- the JVM -------------------------------------------------------------------------------

    /** The JVM finds null pointers by SIGSEGV, which UCX must not take for a crash. */
    @Test
    void leavesTheJvmItsSignals() throws Exception {
        assertServes();
        final int[][] arrays = {new int[1], null};
        int caught = 0;
        for (int i = 0; i < 100_000; i++) {
            try {
                arrays[i & 1][0]++;
            } catch (final NullPointerException e) {
                caught++;
            }
        }
        assertThat(caught).isEqualTo(50_000);
        assertServes();
    }

    // ---- who may listen and ask ----------------------------------------------------------------

    @Test
    void saysWhichPortIsTaken() {
        final NodeAddress taken = server.address();
        assertThatThrownBy(
                        () ->
                                new UcxSegmentServer(
                                        taken.host(),
                                        taken.port(),
                                        segments,
                                        secrets::get,
                                        name -> null,
                                        7))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(taken.toString());
    }

    @Test
    void refusesMoreConnectionsThanItMayServe() throws Exception {
        server.close();
        server = newServer(Map.of("spillway.node.max.connections", "2"));
        try (Channel first = open();
                Channel second = open()) {
            assertThatThrownBy(this::open)
                    .isInstanceOfSatisfying(
                            FetchException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.BUSY));
            assertThat(FetchRecorder.fetch(first, SEGMENT, 0, 10).bytes()).hasSize(10);
            assertThat(FetchRecorder.fetch(second, SEGMENT, 0, 10).bytes()).hasSize(10);
        }
        awaitConnections(0);
        assertServes();
    }

    @Test
    void endsTheConnectionsOfAJobThatHasEnded() throws Exception {
        final String other = "job_1700000000000_0002";
        secrets.put(other, SECRET);
        try (Channel kept = transport.open(server.address(), new JobCredentials(other, SECRET));
                Channel dropped = open()) {
            server.dropJob(JOB);
            awaitConnections(1);
            assertThat(FetchRecorder.fetch(dropped, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.DISCONNECTED);
            assertThat(FetchRecorder.fetch(kept, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(Reason.UNAUTHORIZED);
            assertThat(kept.isOpen()).isTrue();
        }
    }

    @Test
    void answersForAMapOutputThatWasCutShort() throws Exception {
        segments.truncate(3, 1000);
        try (Channel channel = open()) {
            assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, LENGTH).failure().reason())
                    .isEqualTo(Reason.SOURCE_FAILED);
            assertThat(FetchRecorder.fetch(channel, SEGMENT, 0, 1000).bytes()).hasSize(1000);
        }
    }

    @Test
    void counts() throws Exception {
        assertServes();
        awaitConnections(0);
        assertThat(server.stats().accepted()).isOne();
        assertThat(server.stats().requests()).isOne();
        assertThat(server.stats().bytes()).isEqualTo(LENGTH);
    }

    @Test
    void listensAtNoPortOfUcxUnlessToldTo() throws Exception {
        final long pid = ProcessHandle.current().pid();
        final List<InetSocketAddress> before = ListeningPorts.of(pid);
        try (UcxSegmentServer another = newServer(Map.of())) {
            final List<InetSocketAddress> ports = new ArrayList<>(ListeningPorts.of(pid));
            ports.removeAll(before);
            assertThat(ports)
                    .extracting(InetSocketAddress::getPort)
                    .containsExactly(another.address().port());
        }
    }

    @Test
    void saysWhatIsMissingWhereThereIsNoWay() throws Exception {
        transport.close();
        transport = new UcxTransport(Map.of("spillway.ucx.tls", "tcp")::get);
        assertThatThrownBy(this::open)
                .isInstanceOf(FetchException.class)
                .hasMessageContaining(server.address().toString())
                .hasMessageContaining("no way")
                .hasMessageContaining("spillway.ucx.tls");
    }

    // ---- room ----------------------------------------------------------------------------------

    /** 16 MiB of registered memory for 24 clients that all want 1.6 MB at a time. */
    @Test
    void servesManyFromLittleMemory() throws Exception {
        server.close();
        segments.add(4, 1_600_000);
        final SegmentId large = new SegmentId(attempt(4), 0);
        final byte[] expected = segments.bytes(large);
        server = newServer(Map.of("spillway.ucx.buffer.bytes", "16m"));
        final List<Channel> channels = new ArrayList<>();
        final List<FetchRecorder> fetches = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            channels.add(open());
        }
        for (int i = 0; i < 8; i++) {
            for (final Channel channel : channels) {
                fetches.add(FetchRecorder.fetch(channel, large, 0, expected.length));
            }
            for (final FetchRecorder fetch : fetches) {
                assertThat(fetch.bytes()).isEqualTo(expected);
            }
            fetches.clear();
        }
        assertThat(registeredBytes(server)).isBetween(1L, 16L << 20);
        channels.forEach(Channel::close);
    }

    private static long registeredBytes(final UcxSegmentServer server) throws Exception {
        return onThread(
                server.worker().thread(),
                () -> server.worker().thread().buffers().registeredBytes());
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

    /** One whose bytes come from a slow disk, while many others come from memory. */
    @Test
    void aReadMayTakeAsLongAsAnyNumberOfOthers() throws Exception {
        server.close();
        segments.add(4, LENGTH);
        final SegmentId slow = new SegmentId(attempt(4), 0);
        final CountDownLatch others = new CountDownLatch(1);
        final SegmentSource source =
                (job, segment) -> {
                    final ServedSegment found = (ServedSegment) segments.open(job, segment);
                    return segment.equals(slow) ? new SlowSegment(found, others) : found;
                };
        server = new UcxSegmentServer("127.0.0.1", 0, source, secrets::get, name -> null, 7);
        try (Channel channel = open()) {
            final FetchRecorder held = FetchRecorder.fetch(channel, slow, 0, LENGTH);
            for (int i = 0; i < OTHERS; i += AT_ONCE) {
                final List<FetchRecorder> fetches =
                        Stream.generate(() -> FetchRecorder.fetch(channel, SEGMENT, 0, 10))
                                .limit(AT_ONCE)
                                .toList();
                for (final FetchRecorder fetch : fetches) {
                    assertThat(fetch.bytes()).hasSize(10);
                }
            }
            others.countDown();
            assertThat(held.bytes()).isEqualTo(segments.bytes(slow));
        }
    }

    /** It is read when others have been. */
    private record SlowSegment(ServedSegment segment, CountDownLatch others)
            implements ServedSegment {
        @Override
        public long partLength() {
            return segment.partLength();
        }

        @Override
        public long rawLength() {
            return segment.rawLength();
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) throws IOException {
            Uninterrupted.await(() -> others.await(1, TimeUnit.MINUTES));
            segment.read(offset, destination);
        }

        @Override
        public void close() {
            segment.close();
        }
    }

    // ---- crowds --------------------------------------------------------------------------------

    @Test
    void serves500ConnectionsAtOnce() throws Exception {
        final ExecutorService callers = Executors.newFixedThreadPool(100);
        try {
            final List<Future<Channel>> opening = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                opening.add(callers.submit(this::open));
            }
            final List<FetchRecorder> fetches = new ArrayList<>();
            for (final Future<Channel> channel : opening) {
                fetches.add(FetchRecorder.fetch(channel.get(), SEGMENT, 0, 3000));
            }
            for (final FetchRecorder fetch : fetches) {
                assertThat(fetch.bytes()).hasSize(3000);
            }
            awaitConnections(500);
        } finally {
            callers.shutdownNow();
        }
        transport.close();
        awaitConnections(0);
        transport = new UcxTransport(name -> null);
        assertServes();
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "auto"})
    void leaksNothingOver1000Connections(final String tls) throws Exception {
        use(tls);
        assertLeaksNothing();
    }

    private void use(final String tls) throws IOException {
        final Map<String, String> settings = Map.of("spillway.ucx.tls", tls);
        transport.close();
        server.close();
        server = newServer(settings);
        transport = new UcxTransport(settings::get);
    }

    private void assertLeaksNothing() throws Exception {
        for (int i = 0; i < 50; i++) {
            assertServes();
        }
        awaitConnections(0);
        final int files = count("/proc/self/fd");
        final int threads = count("/proc/self/task");
        final long registered = registeredBytes(server);
        for (int i = 0; i < 1000; i++) {
            assertServes();
        }
        awaitConnections(0);
        assertThat(registeredBytes(server)).isEqualTo(registered);
        assertThat(
                        onThread(
                                server.worker().thread(),
                                () -> server.worker().thread().buffers().usedBytes()))
                .isZero();
        assertThat(
                        onThread(
                                ClientInternals.threadOf(transport),
                                () -> ClientInternals.threadOf(transport).buffers().usedBytes()))
                .isZero();
        awaitFewerThan(files + 20, "/proc/self/fd");
        awaitFewerThan(threads + 10, "/proc/self/task");
    }

    /** What another thread closes may still be open for a moment. */
    private static void awaitFewerThan(final int bound, final String directory)
            throws InterruptedException {
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (count(directory) >= bound && System.nanoTime() < end) {
            TimeUnit.MILLISECONDS.sleep(20);
        }
        assertThat(count(directory)).as(directory).isLessThan(bound);
    }

    private static int count(final String directory) {
        return new File(directory).list().length;
    }

    // ---- a worker that hears no one ------------------------------------------------------------

    /** As it comes to be when a client is killed while it writes into shared memory. */
    @Test
    void goesOnWithANewWorkerWhenThisHostsClientsAreNotHeard() throws Exception {
        final ServerWorker deaf = server.worker();
        try (Channel kept = open();
                BootstrapClient door = newDoor()) {
            final List<ControlConnection> clients = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                final ControlConnection client =
                        door.open(server.address(), new JobCredentials(JOB, SECRET));
                client.join(new EndpointFrame(i, ByteBuffer.allocate(1))).get(10, TimeUnit.SECONDS);
                clients.add(client);
            }
            assertServes();
            Thread.sleep(1_100);
            clients.forEach(ControlConnection::close);
            await(() -> server.worker() != deaf);

            assertServes();
            assertThat(FetchRecorder.fetch(kept, SEGMENT, 0, 10).bytes()).hasSize(10);
            assertThat(deaf.isEnded()).isFalse();
        }
        await(deaf::isEnded);
        assertServes();
    }

    private static void await(final BooleanSupplier condition) throws InterruptedException {
        final long deadline = System.currentTimeMillis() + PATIENCE_MILLIS;
        while (!condition.getAsBoolean()) {
            assertThat(System.currentTimeMillis()).isLessThan(deadline);
            Thread.sleep(20);
        }
    }

    // ---- strangers -----------------------------------------------------------------------------

    /** At the server's port, and at those at which UCX waits for its peers. */
    @Test
    void livesThroughGarbageAtEveryPort() throws Exception {
        use("tcp");
        final List<InetSocketAddress> ports = ListeningPorts.of(ProcessHandle.current().pid());
        assertThat(ports)
                .extracting(InetSocketAddress::getPort)
                .contains(server.address().port())
                .hasSizeGreaterThan(1);
        final int files = count("/proc/self/fd");
        final Random random = new Random(TestSeed.fresh(UcxServerTest.class));
        final List<Socket> open = new ArrayList<>();
        for (int i = 0; i < STRANGERS; i++) {
            final Socket socket = new Socket();
            socket.connect(ports.get(i % ports.size()));
            open.add(socket);
            final byte[] bytes = new byte[random.nextInt(3000)];
            random.nextBytes(bytes);
            sendAsFarAsTaken(socket, bytes);
            if (random.nextInt(10) > 0 || open.size() > 50) {
                open.remove(0).close();
            }
            if (i % 100 == 0) {
                assertServes();
            }
        }
        for (final Socket socket : open) {
            socket.close();
        }
        assertServes();
        awaitConnections(0);
        awaitFewerThan(files + 20, "/proc/self/fd");
    }

    private static void sendAsFarAsTaken(final Socket socket, final byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (final IOException e) {
            assertThat(e).as("the node may have closed it").isInstanceOf(SocketException.class);
        }
    }

    /** A client that knows a job's secret, and then sends real messages of UCX with anything. */
    @Test
    void livesThroughGarbageInMessages() throws Exception {
        final UcxThread stranger =
                new UcxThread("stranger", UcxSettings.from(name -> null), DirectMemory.SYSTEM);
        stranger.start(() -> {}, () -> {});
        try (BootstrapClient door = newDoor()) {
            final long end = System.currentTimeMillis() + GARBAGE_MILLIS;
            final long first = TestSeed.fresh(UcxServerTest.class);
            for (long seed = first; System.currentTimeMillis() < end; seed++) {
                final ControlConnection control =
                        door.open(server.address(), new JobCredentials(JOB, SECRET));
                sendGarbage(stranger, control, new Random(seed));
                control.close();
                if (seed % 20 == 0) {
                    assertServes();
                }
            }
        } finally {
            stranger.close();
        }
        assertServes();
        awaitConnections(0);
    }

    /** An attacker who has the address of the path, and not the keys of the session. */
    @Test
    void aForgedMessageEndsThePathThatItIsFor() throws Exception {
        final UcxThread stranger =
                new UcxThread("stranger", UcxSettings.from(name -> null), DirectMemory.SYSTEM);
        stranger.start(() -> {}, () -> {});
        try (BootstrapClient door = newDoor();
                Channel kept = open()) {
            final ControlConnection control =
                    door.open(server.address(), new JobCredentials(JOB, SECRET));
            final EndpointFrame node =
                    control.join(new EndpointFrame(1, stranger.workerAddress()))
                            .get(10, TimeUnit.SECONDS);
            final Link link =
                    onThread(
                            stranger,
                            () ->
                                    new Link(
                                            stranger,
                                            node.address(),
                                            PathSeal.NONE,
                                            (status, why) -> {}));
            final Envelope envelope = new Envelope(node.id(), control.node().version());
            stranger.execute(() -> link.send(envelope, FrameType.PING, wentOut -> {}));
            assertThat(control.ended().get(10, TimeUnit.SECONDS).reason())
                    .isEqualTo(Reason.DISCONNECTED);
            assertThat(FetchRecorder.fetch(kept, SEGMENT, 0, 10).bytes()).hasSize(10);
            stranger.execute(
                    () -> {
                        link.peerLeft();
                        link.close();
                    });
        } finally {
            stranger.close();
        }
    }

    @Test
    void noPathIsOpenedThatTheNodeCannotProtect() throws Exception {
        server.close();
        server = newServerOfVersion13(Protection.AUTHENTICATION);
        assertThatThrownBy(this::open)
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("ucx is not protected with a node of version 13");
        transport.close();
        transport = new UcxTransport(Map.of("spillway.protection", "authentication")::get);
        assertServes();
    }

    private UcxSegmentServer newServerOfVersion13(final Protection protection) throws IOException {
        final ServerSettings now = ServerSettings.from(name -> null);
        return new UcxSegmentServer(
                "127.0.0.1",
                0,
                segments,
                secrets::get,
                name -> null,
                7,
                DirectMemory.SYSTEM,
                new ServerSettings(
                        now.maxConnections(),
                        now.connectionBytes(),
                        now.maxRequestLength(),
                        now.credits(),
                        now.authTimeoutMillis(),
                        now.idleTimeoutMillis(),
                        now.openThreads(),
                        now.putCredits(),
                        now.putBytes(),
                        now.putMemory(),
                        VersionRange.only(FrameType.V13),
                        now.aliases(),
                        protection));
    }

    private static BootstrapClient newDoor() {
        return Bootstrap.load().newClient(name -> null, DirectMemory.SYSTEM);
    }

    private static void sendGarbage(
            final UcxThread stranger, final ControlConnection control, final Random random)
            throws Exception {
        final EndpointFrame node =
                control.join(new EndpointFrame(1, stranger.workerAddress()))
                        .get(10, TimeUnit.SECONDS);
        final PathSeal seal =
                random.nextBoolean() ? PathSeal.NONE : PathSeal.ofClient(control.keys());
        final Link link =
                onThread(
                        stranger,
                        () -> new Link(stranger, node.address(), seal, (status, why) -> {}));
        for (int i = random.nextInt(5); i >= 0; i--) {
            onThread(stranger, () -> garbage(link, node.id(), random));
        }
        Thread.sleep(5);
        onThread(
                stranger,
                () -> {
                    link.peerLeft();
                    link.close();
                    return null;
                });
    }

    private static Link garbage(final Link link, final long id, final Random random) {
        final byte[] bytes = new byte[random.nextInt(200)];
        random.nextBytes(bytes);
        final long to = random.nextInt(3) == 0 ? random.nextLong() : id;
        final Message message = link.newMessage(new Envelope(to, FrameType.VERSIONS.newest()));
        if (random.nextBoolean()) {
            final FrameType[] types = FrameType.values();
            FrameHeader.encode(
                    message.header(),
                    types[random.nextInt(types.length)],
                    FrameType.VERSIONS.newest(),
                    bytes.length);
        }
        message.header().put(bytes);
        link.send(message, 0, 0, null);
        return link;
    }
}
