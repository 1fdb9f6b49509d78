// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static io.spillway.transport.FetchRecorder.fetch;
import static io.spillway.transport.TestSegments.JOB;
import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TestSegments;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is chosen, and what becomes of it when it fails; the second transport has real sockets. */
@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ChoosingTransportTest {
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final SegmentId SEGMENT = new SegmentId(attempt(1), 0);

    @TempDir private Path folder;
    private final List<AutoCloseable> toClose = new ArrayList<>();
    private final SecondTransport second = new SecondTransport();
    private final SecondTransport world =
            new SecondTransport("mpi", TransportProvider.Medium.WORLD);
    private final Map<String, String> settings = new HashMap<>();
    private TestSegments segments;
    private OfferingNode node;
    private SecondTransport.SecondServer server;
    private ChoosingTransport transport;
    private Optional<OwnHost> ownHost = Optional.empty();

    @BeforeEach
    void start() throws IOException {
        Files.createDirectories(folder.resolve("shm"));
        segments = closeLater(new TestSegments(folder));
        segments.add(1, 100_000);
        node = closeLater(new OfferingNode(segments, job -> SECRET));
        server = newServer(0);
        node.offer(server.address());
        settings.put("spillway.transport.retry.ms", "3600000");
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = toClose.size() - 1; i >= 0; i--) {
            toClose.get(i).close();
        }
        assertThat(segments.openSegments()).as("segments left open").isZero();
    }

    private <T extends AutoCloseable> T closeLater(final T resource) {
        toClose.add(resource);
        return resource;
    }

    private SecondTransport.SecondServer newServer(final int port) {
        return closeLater(
                second.newServer("127.0.0.1", port, segments, job -> SECRET, name -> null, 7));
    }

    private Channel open() throws FetchException {
        if (transport == null) {
            transport =
                    closeLater(
                            new ChoosingTransport(
                                    new TcpTransport(settings::get),
                                    List.of(world, second),
                                    ownHost,
                                    settings::get,
                                    new HostMedia(
                                            folder.resolve("infiniband"), folder.resolve("shm"))));
        }
        return transport.open(node.address(), new JobCredentials(JOB, SECRET));
    }

    private void noSharedMemory() throws IOException {
        Files.delete(folder.resolve("shm"));
    }

    private void rdmaPort(final String state) throws IOException {
        final Path port = folder.resolve("infiniband/mlx5_0/ports/1");
        Files.createDirectories(port);
        Files.writeString(port.resolve("state"), state);
    }

    private void fetchAll(final Channel channel) throws Exception {
        assertThat(fetch(channel, SEGMENT, 0, 100_000).bytes()).isEqualTo(segments.bytes(SEGMENT));
    }

    private String report() {
        final TaskReport report = new TaskReport();
        transport.noteIn(report);
        return report.toJson();
    }

    private static void await(final BooleanSupplier condition) throws InterruptedException {
        while (!condition.getAsBoolean()) {
            Thread.sleep(5);
        }
    }

    private static NodeAddress unreachable() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return new NodeAddress("127.0.0.1", socket.getLocalPort());
        }
    }

    // ---- auto ----------------------------------------------------------------------------------

    @Test
    void takesSharedMemoryOnTheSameHostAndClosesTcp() throws Exception {
        final Channel channel = open();
        fetchAll(channel);

        await(() -> node.server.connectionCount() == 0);
        assertThat(server.server.connectionCount()).isOne();
        assertThat(channel.address()).isEqualTo(node.address());
        assertThat(channel.epoch()).isEqualTo(node.epoch());
        assertThat(channel.hasFallback()).isTrue();
        assertThat(report())
                .contains("\"transport_bytes\":{\"second\":100000}")
                .contains("\"transport_nodes\":{\"second\":1}")
                .contains("\"transport_reasons\":{\"second: same host, shared memory\":1}")
                .contains("\"" + node.address() + "\":\"second: same host, shared memory\"")
                .contains("\"fetch_ucx_bytes\":100000");
    }

    @Test
    void staysOnTcpWithoutRdmaAndSharedMemoryAndLoadsNothing() throws Exception {
        noSharedMemory();
        rdmaPort("1: DOWN\n");
        final Channel channel = open();
        fetchAll(channel);

        assertThat(channel.hasFallback()).isFalse();
        assertThat(second.obstacleAsked).hasValue(0);
        assertThat(second.transportsMade).hasValue(0);
        assertThat(report())
                .contains("\"transport_bytes\":{\"tcp\":100000}")
                .contains("tcp: no RDMA device, and no memory shared with the node");
    }

    @Test
    void takesAnRdmaDeviceWhoseLinkIsUp() throws Exception {
        noSharedMemory();
        rdmaPort("4: ACTIVE\n");
        fetchAll(open());

        assertThat(report()).contains("\"transport_reasons\":{\"second: RDMA device mlx5_0:1\":1}");
    }

    @Test
    void heedsThatTheTransportIsSetNotToShareMemory() throws Exception {
        second.canUseSharedMemory = false;
        fetchAll(open());

        assertThat(report()).contains("\"transport_bytes\":{\"tcp\":100000}");
        assertThat(second.obstacleAsked).hasValue(0);
    }

    @Test
    void staysOnTcpWhereNothingElseIsOffered() throws Exception {
        try (OfferingNode plain = new OfferingNode(segments, job -> SECRET)) {
            open().close();
            final Channel channel =
                    transport.open(plain.address(), new JobCredentials(JOB, SECRET));
            fetchAll(channel);
            assertThat(channel.hasFallback()).isFalse();
        }
        assertThat(report()).contains("tcp: the node offers nothing else");
    }

    @Test
    void takesAWorldWhereNothingBetterServes() throws Exception {
        noSharedMemory();
        offerBoth();
        fetchAll(open());

        assertThat(second.obstacleAsked).hasValue(0);
        assertThat(report())
                .contains("\"transport_bytes\":{\"mpi\":100000}")
                .contains("{\"mpi: MPI world 127.0.0.1\":1}");
    }

    @Test
    void loadsNoWorldWhereMemoryIsShared() throws Exception {
        offerBoth();
        fetchAll(open());

        assertThat(world.obstacleAsked).hasValue(0);
        assertThat(report()).contains("{\"second: same host, shared memory\":1}");
    }

    @Test
    void takesTheNextBestWhereTheBestHasAnObstacle() throws Exception {
        second.obstacle = "libucp.so.0 is not installed";
        offerBoth();
        fetchAll(open());
        fetchAll(open());

        assertThat(second.obstacleAsked).hasValue(1);
        assertThat(report())
                .contains("\"transport_bytes\":{\"mpi\":200000}")
                .contains("{\"mpi: MPI world 127.0.0.1\":1}")
                .contains(
                        "mpi: MPI world 127.0.0.1, second cannot be used here: libucp.so.0 is not"
                                + " installed");
    }

    @Test
    void staysOnTcpWhereAllHaveObstacles() throws Exception {
        second.obstacle = "libucp.so.0 is not installed";
        world.obstacle = "this host has no rank";
        offerBoth();
        fetchAll(open());

        assertThat(report())
                .contains("{\"tcp: second, mpi cannot be used here\":1}")
                .contains("libucp.so.0 is not installed; this host has no rank");
    }

    /** What the failed one has said may be wrong for another: tcp is what surely works. */
    @Test
    void whatFailsLeadsToTcpAndNotToTheNextBest() throws Exception {
        offerBoth();
        server.close();
        fetchAll(open());

        assertThat(world.obstacleAsked).hasValue(0);
        assertThat(report()).contains("tcp: second has failed");
    }

    private void offerBoth() {
        node.offer(
                List.of(
                        new TransportOffer("mpi", server.address()),
                        new TransportOffer(SecondTransport.NAME, server.address())));
    }

    // ---- by name -------------------------------------------------------------------------------

    @Test
    void tcpByNameLoadsNothing() throws Exception {
        settings.put("spillway.transport", "tcp");
        fetchAll(open());

        assertThat(second.obstacleAsked).hasValue(0);
        assertThat(report()).contains("{\"tcp: spillway.transport=tcp\":1}");
    }

    @Test
    void takesWhatIsNamedWhateverTheHostHas() throws Exception {
        settings.put("spillway.transport", SecondTransport.NAME);
        noSharedMemory();
        fetchAll(open());

        assertThat(report()).contains("{\"second: spillway.transport=second\":1}");
    }

    @Test
    void anObstacleIsAskedForOnceAndLeadsToTcp() throws Exception {
        settings.put("spillway.transport", SecondTransport.NAME);
        second.obstacle = "libucp.so.0 is not installed";
        fetchAll(open());
        fetchAll(open());

        assertThat(second.obstacleAsked).hasValue(1);
        assertThat(second.transportsMade).hasValue(0);
        assertThat(report())
                .contains("tcp: second cannot be used here, libucp.so.0 is not installed")
                .contains("\"transport_bytes\":{\"tcp\":200000}");
    }

    // ---- failures ------------------------------------------------------------------------------

    @Test
    void whatCannotBeOpenedIsNotTriedAgainForAWhile() throws Exception {
        node.offer(unreachable());
        fetchAll(open());
        node.offer(server.address());
        fetchAll(open());

        assertThat(server.server.connectionCount()).isZero();
        assertThat(report())
                .contains("\"transport_bytes\":{\"tcp\":200000}")
                .contains("tcp: second has failed")
                .contains("\"transport_fallbacks\":1");
    }

    @Test
    void whatCouldNotBeOpenedIsTriedAgainLater() throws Exception {
        settings.put("spillway.transport.retry.ms", "100");
        node.offer(unreachable());
        open().close();
        node.offer(server.address());

        await(this::opensOverSecond);
        assertThat(report()).contains("\"transport_nodes\":{\"second\":1}");
    }

    private boolean opensOverSecond() {
        try (Channel channel = open()) {
            return channel.hasFallback();
        } catch (final FetchException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void oneLostChannelIsOpenedAgainAndTheSecondLeadsToTcp() throws Exception {
        for (int loss = 0; loss < 2; loss++) {
            final Channel channel = open();
            fetchAll(channel);
            assertThat(channel.hasFallback()).as("loss " + loss).isTrue();
            loseConnections();
            assertThat(fetch(channel, SEGMENT, 0, 10).failure()).isNotNull();
            assertThat(channel.isOpen()).isFalse();
        }
        final Channel channel = open();
        fetchAll(channel);

        assertThat(channel.hasFallback()).isFalse();
        assertThat(report())
                .contains("\"transport_bytes\":{\"second\":200000,\"tcp\":100000}")
                .contains("\"transport_fallbacks\":1");
    }

    /** Ends the connections, and serves on the same port again. */
    private void loseConnections() {
        final int port = server.address().port();
        server.close();
        server = newServer(port);
    }

    @Test
    void aChannelThatNeverBroughtAnythingLeadsToTcpAtOnce() throws Exception {
        final Channel channel = open();
        loseConnections();
        assertThat(fetch(channel, SEGMENT, 0, 10).failure()).isNotNull();

        assertThat(open().hasFallback()).isFalse();
    }

    @Test
    void anAnswerThatFailsLeadsToTcpWhichKnowsBetter() throws Exception {
        server.close();
        try (TestSegments nothing = new TestSegments(folder)) {
            server =
                    closeLater(
                            second.newServer(
                                    "127.0.0.1", 0, nothing, job -> SECRET, name -> null, 7));
            node.offer(server.address());
            final Channel channel = open();
            assertThat(fetch(channel, SEGMENT, 0, 10).failure().reason())
                    .isEqualTo(FetchException.Reason.NOT_FOUND);
        }
        fetchAll(open());

        assertThat(report()).contains("\"transport_bytes\":{\"second\":0,\"tcp\":100000}");
    }

    @Test
    void aSilentChannelThatIsGivenUpLeadsToTcp() throws Exception {
        server.close();
        final CountDownLatch released = new CountDownLatch(1);
        server =
                closeLater(
                        second.newServer(
                                "127.0.0.1",
                                0,
                                (job, segment) -> openAfter(released, job, segment),
                                job -> SECRET,
                                name -> null,
                                7));
        node.offer(server.address());
        final Channel channel = open();
        final FetchRecorder unanswered = fetch(channel, SEGMENT, 0, 10);
        channel.close();
        released.countDown();

        assertThat(unanswered.failure()).isNotNull();
        assertThat(open().hasFallback()).isFalse();
        assertThat(report()).contains("closed while 1 requests had no answer");
    }

    private SegmentAnswer openAfter(
            final CountDownLatch released, final String job, final SegmentId segment)
            throws FetchException {
        try {
            released.await();
            return segments.open(job, segment);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FetchException(FetchException.Reason.SOURCE_FAILED, "interrupted", e);
        }
    }

    @Test
    void figuresAreCounters() throws Exception {
        fetchAll(open());
        final TaskReport report = new TaskReport();
        transport.noteIn(report);

        assertThat(report.get(ShuffleCounter.FETCH_UCX_BYTES)).isEqualTo(100_000);
        assertThat(report.get(ShuffleCounter.TRANSPORT_FALLBACKS)).isZero();
    }
}
