package io.spillway.transport.ucx;

import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.wire.FrameHeader;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.Nonce;
import java.io.File;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.openucx.jucx.ucp.UcpEndpointParams;

/** What strangers, crowds and time do to a node. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class UcxServerTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final SegmentId SEGMENT = new SegmentId(attempt(3), 0);
    private static final int LENGTH = 400_000;
    private static final long PATIENCE_MILLIS = 20_000;
    private static final long GARBAGE_MILLIS = 3_000;
    private static final int STRANGERS = 600;

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
        assertThat(registeredBytes(server)).isEqualTo(16 << 20);
        channels.forEach(Channel::close);
    }

    private static long registeredBytes(final UcxSegmentServer server) throws Exception {
        return onThread(server.thread(), () -> server.thread().buffers().registeredBytes());
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

    @Test
    void leaksNothingOver1000ConnectionsOverSockets() throws Exception {
        final Map<String, String> tcp = Map.of("spillway.ucx.tls", "tcp");
        server.close();
        server = newServer(tcp);
        transport.close();
        transport = new UcxTransport(tcp::get);
        assertLeaksNothing(1000, () -> {});
    }

    /**
     * UCX keeps the socket of a client that was connected by it and went on to shared memory, until
     * the client's worker ends: a reducer has one node on its own host. The node must not keep any.
     */
    @Test
    void leaksNothingOver1000ConnectionsOverSharedMemory() throws Exception {
        assertLeaksNothing(20, this::renewTransport);
    }

    private void renewTransport() throws Exception {
        for (int i = 0; i < 49; i++) {
            assertServes();
        }
        transport.close();
        transport = new UcxTransport(name -> null);
    }

    private void assertLeaksNothing(final int rounds, final Step step) throws Exception {
        for (int i = 0; i < 50; i++) {
            assertServes();
        }
        step.run();
        awaitConnections(0);
        final int files = count("/proc/self/fd");
        final int threads = count("/proc/self/task");
        final long registered = registeredBytes(server);
        for (int i = 0; i < rounds; i++) {
            assertServes();
            step.run();
        }
        awaitConnections(0);
        assertThat(registeredBytes(server)).isEqualTo(registered);
        assertThat(onThread(server.thread(), () -> server.thread().buffers().usedBytes())).isZero();
        assertThat(onThread(transport.thread(), () -> transport.thread().buffers().usedBytes()))
                .isZero();
        assertThat(count("/proc/self/fd")).as("open files").isLessThan(files + 20);
        assertThat(count("/proc/self/task")).as("threads").isLessThan(threads + 10);
    }

    /** What comes after each connection. */
    private interface Step {
        void run() throws Exception;
    }

    private static int count(final String directory) {
        return new File(directory).list().length;
    }

    // ---- strangers -----------------------------------------------------------------------------

    /**
     * Not more than some hundred connections: UCX 1.13 keeps the socket of every third stranger for
     * good, so that in the end garbage is a matter of the limit of open files.
     */
    @Test
    void livesThroughGarbageAtItsPort() throws Exception {
        final Random random = new Random(20261122);
        final List<Socket> open = new ArrayList<>();
        for (int i = 0; i < STRANGERS; i++) {
            final Socket socket = new Socket();
            socket.connect(
                    new InetSocketAddress(
                            InetAddress.getLoopbackAddress(), server.address().port()));
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
    }

    private static void sendAsFarAsTaken(final Socket socket, final byte[] bytes) {
        try {
            socket.getOutputStream().write(bytes);
            socket.getOutputStream().flush();
        } catch (final IOException e) {
            assertThat(e).as("the node may have closed it").isInstanceOf(SocketException.class);
        }
    }

    /** Real messages of UCX, with anything in them, before and after a HELLO that looks well. */
    @Test
    void livesThroughGarbageInMessages() throws Exception {
        final UcxThread stranger = new UcxThread("stranger", UcxSettings.from(name -> null));
        stranger.start(() -> {}, () -> {});
        try {
            final long end = System.currentTimeMillis() + GARBAGE_MILLIS;
            for (long seed = 1; System.currentTimeMillis() < end; seed++) {
                final Random random = new Random(seed);
                final Link link = onThread(stranger, () -> strangersLink(stranger, random));
                Thread.sleep(5);
                onThread(
                        stranger,
                        () -> {
                            link.close();
                            return null;
                        });
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

    private Link strangersLink(final UcxThread stranger, final Random random) {
        final InetSocketAddress remote =
                new InetSocketAddress(server.address().host(), server.address().port());
        final Link link =
                new Link(
                        stranger,
                        new UcpEndpointParams().setSocketAddress(remote),
                        false,
                        (status, message) -> {});
        if (random.nextBoolean()) {
            final HelloFrame hello = new HelloFrame(Nonce.random(new SecureRandom()), JOB);
            link.sendHello(new Envelope(Envelope.NOT_KNOWN, 1), hello::encode);
        }
        for (int i = random.nextInt(5); i >= 0; i--) {
            final byte[] bytes = new byte[random.nextInt(200)];
            random.nextBytes(bytes);
            final boolean looksLikeAFrame = random.nextBoolean();
            link.sendHello(
                    new Envelope(random.nextInt(3) == 0 ? random.nextLong() : 0, 1),
                    out -> {
                        if (looksLikeAFrame) {
                            final FrameType[] types = FrameType.values();
                            FrameHeader.encode(
                                    out, types[random.nextInt(types.length)], bytes.length);
                        }
                        out.put(bytes);
                    });
        }
        return link;
    }
}
