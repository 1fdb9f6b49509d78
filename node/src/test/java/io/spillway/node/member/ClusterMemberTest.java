// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import static io.spillway.node.process.TestManager.await;
import static io.spillway.node.process.TestManager.secretOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.node.Transports;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.NodeRefusedException;
import io.spillway.node.control.StatusClient;
import io.spillway.node.process.NodeProcess;
import io.spillway.node.process.TestManager;
import io.spillway.placement.message.LeaseAnswer;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.placement.message.LeaseRequest;
import io.spillway.placement.message.LocateAnswer;
import io.spillway.placement.message.LocateRequest;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.PutListener;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Node processes of one cluster, in this JVM: real sockets, the jobs of a handler's link. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class ClusterMemberTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000007_0";
    private static final SegmentId SEGMENT = new SegmentId(OUTPUT, 0);
    private static final byte[] BYTES = bytes(300_000);
    private static final long MEMORY = 8L << 20;

    @TempDir private Path folder;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private TcpTransport transport;
    private NodeAddress service;

    private static byte[] bytes(final int length) {
        final byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @BeforeEach
    void open() throws IOException {
        transport = later(new TcpTransport(name -> null));
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            service = new NodeAddress("127.0.0.1", socket.getLocalPort());
        }
        Files.createFile(
                secret(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret(), "a secret of the nodes of this test");
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private <T extends AutoCloseable> T later(final T resource) {
        opened.add(resource);
        return resource;
    }

    private Path secret() {
        return folder.resolve("cluster.secret");
    }

    private Path socket(final String name) {
        return folder.resolve(name + "/node.sock");
    }

    private Map<String, String> settings(final String name, final String... more) {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("spillway.node.socket", socket(name).toString());
        settings.put("spillway.node.host", "127.0.0.1");
        settings.put("spillway.node.http.port", "none");
        settings.put("spillway.node.transports", "tcp");
        settings.put("spillway.placement.service", service.toString());
        settings.put("spillway.placement.secret.file", secret().toString());
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    private NodeProcess start(final Map<String, String> settings) throws IOException {
        return later(NodeProcess.start(Transports.all(), settings::get, false));
    }

    /** The host of the service, which has a NodeManager and gives no memory. */
    private NodeProcess startService() throws IOException {
        return start(
                settings(
                        "service",
                        "spillway.placement.serve",
                        "true",
                        "spillway.node.tcp.port",
                        String.valueOf(service.port())));
    }

    private NodeProcess startMemory() throws IOException {
        return start(
                settings(
                        "memory",
                        "spillway.node.memory.bytes",
                        String.valueOf(MEMORY),
                        "spillway.node.memory.only",
                        "true"));
    }

    private TestManager manager() {
        return new TestManager("nm-1", folder.resolve("local"));
    }

    private void link(final TestManager manager) {
        final ControlClient unused =
                later(manager.link(socket("service"), ControlClient.Starter.NONE));
    }

    private Channel open(final NodeAddress node) throws FetchException {
        final JobCredentials ofJob = new JobCredentials(JOB, secretOf(JOB));
        return later(transport.open(node, node.equals(service) ? ofJob : ofJob.forNode(node)));
    }

    private static ByteBuffer ask(final Channel channel, final ByteBuffer question)
            throws Exception {
        return channel.call(question).get(30, TimeUnit.SECONDS);
    }

    private List<SegmentPlace> lease(final LeasePolicy policy) throws Exception {
        final LeaseRequest request =
                new LeaseRequest(OUTPUT, BYTES.length, 1, policy, "host", List.of());
        return LeaseAnswer.decode(ask(open(service), request.encode())).places();
    }

    private SegmentPlace awaitLease() throws InterruptedException {
        final List<SegmentPlace> places = new ArrayList<>();
        await(
                "a lease",
                () -> {
                    try {
                        places.addAll(lease(LeasePolicy.DEDICATED));
                    } catch (final FetchException e) {
                        return false; // the job is not known yet
                    } catch (final Exception e) {
                        throw new AssertionError(e);
                    }
                    return !places.isEmpty();
                });
        return places.get(0);
    }

    private static void put(final Channel channel) throws Exception {
        putPiece(channel, 0);
        commit(channel, BYTES);
    }

    private static void commit(final Channel channel, final byte[] all) throws Exception {
        final CRC32C crc = new CRC32C();
        crc.update(all);
        final OutputSummary.Segment segment =
                new OutputSummary.Segment(0, 0, all.length, all.length, (int) crc.getValue());
        channel.commit(new OutputSummary(OUTPUT, List.of(segment))).get(30, TimeUnit.SECONDS);
    }

    private static void putPiece(final Channel channel, final long offset) throws Exception {
        final CompletableFuture<Void> put = new CompletableFuture<>();
        channel.put(
                SEGMENT,
                offset,
                ByteBuffer.wrap(BYTES),
                new PutListener() {
                    @Override
                    public void onAcknowledged(final ByteBuffer source) {
                        put.complete(null);
                    }

                    @Override
                    public void onFailed(final ByteBuffer source, final FetchException cause) {
                        put.completeExceptionally(cause);
                    }
                });
        put.get(30, TimeUnit.SECONDS);
    }

    private static byte[] fetch(final Channel channel) throws Exception {
        return fetch(channel, 0, BYTES.length);
    }

    private static byte[] fetch(final Channel channel, final long offset, final int length)
            throws Exception {
        final CompletableFuture<byte[]> bytes = new CompletableFuture<>();
        channel.fetch(
                SEGMENT,
                offset,
                ByteBuffer.allocate(length),
                new FetchListener() {
                    @Override
                    public void onFetched(final ByteBuffer destination, final FetchReply reply) {
                        final byte[] fetched = new byte[destination.flip().remaining()];
                        destination.get(fetched);
                        bytes.complete(fetched);
                    }

                    @Override
                    public void onElsewhere(
                            final ByteBuffer destination, final SegmentPlaces places) {
                        bytes.completeExceptionally(new AssertionError("at " + places));
                    }

                    @Override
                    public void onFailed(final ByteBuffer destination, final FetchException cause) {
                        bytes.completeExceptionally(cause);
                    }
                });
        return bytes.get(30, TimeUnit.SECONDS);
    }

    private String status(final String name) {
        try {
            return StatusClient.ask(socket(name));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void anOutputGoesToAMemoryNodeAndIsFetchedFromThere() throws Exception {
        startService();
        startMemory();
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);

        final SegmentPlace place = awaitLease();
        assertThat(lease(LeasePolicy.EVERY_NODE)).containsExactly(place);
        final Channel memory = open(place.address());
        assertThat(memory.epoch()).isEqualTo(place.epoch());
        put(memory);
        assertThat(fetch(memory)).isEqualTo(BYTES);
        await(
                "a service that knows the output",
                () -> {
                    try {
                        final LocateRequest locate = new LocateRequest(List.of(OUTPUT));
                        return LocateAnswer.decode(ask(open(service), locate.encode()))
                                .places()
                                .equals(List.of(List.of(place)));
                    } catch (final Exception e) {
                        throw new AssertionError(e);
                    }
                });
        assertThat(status("service")).contains(place.address().toString(), JOB, "alice");
        assertThat(status("memory")).contains("\"answered\":true", "\"memoryOnly\":true");
    }

    /** As the command does: by way of any node process, or with the cluster's secret. */
    @Test
    void everyNodeCanTellHowAllAre() throws Exception {
        startService();
        startMemory();
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        put(open(awaitLease().address()));
        await("an output that is known", () -> cluster("memory").contains("\"outputs\":1"));

        final String told = cluster("memory");
        assertThat(told)
                .contains(
                        "{\"service\":\"" + service + "\"",
                        "\"state\":\"ok\",\"memoryOnly\":true,\"capacityBytes\":" + MEMORY,
                        "\"state\":\"none\",\"memoryOnly\":false,\"capacityBytes\":0",
                        "{\"id\":\"" + JOB + "\",\"user\":\"alice\"",
                        "\"nodes\":2,\"memoryNodes\":1",
                        "\"jobLimitBytes\":null");
        assertThat(question(settings("client")).ask()).contains("\"nodes\":2", JOB);
        assertThat(cluster("service")).contains("\"nodes\":2", JOB);
        assertThat(status("memory"))
                .contains("\"puts\":{\"pieces\":1,\"bytes\":" + BYTES.length, "\"commits\":1");
    }

    private String cluster(final String name) {
        try {
            return StatusClient.askCluster(socket(name));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ClusterQuestion question(final Map<String, String> settings) throws IOException {
        return ClusterQuestion.of(Transports.all(), settings::get);
    }

    @Test
    void whatStandsAgainstAskingAllIsNamedWithAWayOut() throws Exception {
        assertThatThrownBy(() -> question(settings("down")).ask())
                .as("nothing listens there")
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("no placement service answers at " + service)
                .hasMessageContaining(
                        "start the node process there with spillway.placement.serve=true and"
                                + " spillway.node.tcp.port="
                                + service.port());
        startService();
        final Path other = Files.copy(secret(), folder.resolve("other.secret"));
        Files.setPosixFilePermissions(other, PosixFilePermissions.fromString("rw-------"));
        Files.writeString(other, "another secret, of another cluster");
        assertThatThrownBy(
                        () ->
                                question(
                                                settings(
                                                        "stranger",
                                                        "spillway.placement.secret.file",
                                                        other.toString()))
                                        .ask())
                .hasMessageStartingWith(service + " is a node process that has another secret than")
                .hasMessageContaining("spillway.placement.secret.file");
        assertThatThrownBy(() -> question(settings("no", "spillway.placement.service", "none")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("spillway.placement.service is none");

        final Map<String, String> alone = settings("alone", "spillway.placement.service", "none");
        start(alone);
        assertThatThrownBy(() -> StatusClient.askCluster(socket("alone")))
                .isInstanceOf(NodeRefusedException.class)
                .hasMessageContaining("spillway.placement.service is none");
        final NodeAddress member = memberThatIsNotTheService();
        assertThatThrownBy(
                        () ->
                                question(
                                                settings(
                                                        "client",
                                                        "spillway.placement.service",
                                                        member.toString()))
                                        .ask())
                .hasMessageStartingWith(member + " is a node process")
                .hasMessageContaining("or is not the placement service");
    }

    private NodeAddress memberThatIsNotTheService() throws IOException {
        final int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        start(settings("member", "spillway.node.tcp.port", String.valueOf(port)));
        return new NodeAddress("127.0.0.1", port);
    }

    @Test
    void aJobBeyondItsQuotaGetsNoPlaceAndIsShownWithIt() throws Exception {
        final Map<String, String> limited =
                settings(
                        "service",
                        "spillway.placement.serve",
                        "true",
                        "spillway.node.tcp.port",
                        String.valueOf(service.port()),
                        "spillway.placement.job.bytes",
                        String.valueOf(BYTES.length));
        start(limited);
        startMemory();
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        awaitLease();
        final LeaseRequest another =
                new LeaseRequest("another", 1, 1, LeasePolicy.DEDICATED, "host", List.of());
        assertThat(LeaseAnswer.decode(ask(open(service), another.encode())).places()).isEmpty();
        assertThat(cluster("service"))
                .contains(
                        "\"jobLimitBytes\":" + BYTES.length,
                        "\"job_quota\":1",
                        "\"outputs\":1,\"refused\":1}");
    }

    /** A lease of files, a put and a fetch over tcp: sendfile from a file without a name. */
    @Test
    void anOutputThatMemoryHasNoRoomForGoesToFilesAndIsFetchedFromThere() throws Exception {
        startService();
        final Path files = Files.createDirectory(folder.resolve("ssd"));
        start(
                settings(
                        "memory",
                        "spillway.node.memory.bytes",
                        "2m",
                        "spillway.node.memory.only",
                        "true",
                        "spillway.node.overflow.dir",
                        files.toString(),
                        "spillway.node.overflow.bytes",
                        "4m"));
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        final SegmentPlace place = awaitLease();
        final Channel memory = open(place.address());
        for (int at = 0; at < 7 * BYTES.length; at += BYTES.length) {
            putPiece(memory, at);
        }
        final byte[] all = new byte[7 * BYTES.length];
        for (int at = 0; at < all.length; at += BYTES.length) {
            System.arraycopy(BYTES, 0, all, at, BYTES.length);
        }
        commit(memory, all);
        assertThat(fetch(memory, 0, all.length)).isEqualTo(all);
        assertThat(fetch(memory, 6L * BYTES.length, BYTES.length)).isEqualTo(BYTES);
        assertThat(status("memory")).contains("\"overflowCapacityBytes\":4194304");
        await(
                "the service that knows how full the files are",
                () -> status("service").contains("\"overflowUsedBytes\":600000"));
        final Path own = files.resolve("spillway-overflow-" + System.getProperty("user.name"));
        try (Stream<Path> names = Files.list(own)) {
            assertThat(names).as("names of files").isEmpty();
        }
    }

    /**
     * A drained node takes the rest of begun outputs and serves complete ones; it refuses new ones.
     */
    @Test
    void aDrainedNodeServesWhatItHoldsAndTakesNothingNew() throws Exception {
        startService();
        final NodeProcess first = startMemory();
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        final Channel memory = open(awaitLease().address());
        putPiece(memory, 0);
        assertThat(StatusClient.drain(socket("memory"), true)).contains("\"draining\":true");
        commit(memory, BYTES);
        assertThat(fetch(memory)).isEqualTo(BYTES);
        await("a service that takes it for full", () -> cluster("service").contains("\"full\""));
        final LeaseRequest another =
                new LeaseRequest("another", 1, 1, LeasePolicy.DEDICATED, "host", List.of());
        assertThat(LeaseAnswer.decode(ask(open(service), another.encode())).places()).isEmpty();
        assertThat(status("memory"))
                .contains("\"held\":[{\"job\":\"" + JOB + "\",\"outputs\":1,\"bytes\":");

        memory.abort(OUTPUT).get(30, TimeUnit.SECONDS);
        await("an empty node", () -> status("memory").contains("\"held\":[]"));
        assertThat(status("memory")).contains("\"draining\":true");
        assertThat(StatusClient.drain(socket("memory"), false)).contains("\"draining\":false");
        await("its room", () -> cluster("service").contains("\"capacityBytes\":" + MEMORY));
        StatusClient.drain(socket("memory"), true);
        first.close();
        startMemory();
        assertThat(status("memory"))
                .as("a process that follows an orderly end")
                .contains("\"draining\":false");
    }

    /** A killed process leaves the file. */
    @Test
    void aDrainOutlivesAProcessThatIsKilled() throws Exception {
        Files.createDirectories(
                socket("memory").getParent(),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        Files.createFile(socket("memory").resolveSibling("node.sock.drain"));
        startMemory();
        assertThat(status("memory")).contains("\"draining\":true", "\"capacityBytes\":1,");
    }

    @Test
    void jobsReachWhatIsTheirsOnly() throws Exception {
        startService();
        startMemory();
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        final SegmentPlace place = awaitLease();
        put(open(place.address()));

        final JobCredentials ofHosts = new JobCredentials(JOB, secretOf(JOB));
        assertThatThrownBy(() -> transport.open(place.address(), ofHosts))
                .as("the secret itself, which a memory node does not know")
                .hasMessageContaining("UNKNOWN_JOB");
        final JobCredentials guessed = new JobCredentials(JOB, new byte[20]);
        assertThatThrownBy(() -> transport.open(place.address(), guessed))
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_JOB));
        final JobCredentials asNode = new JobCredentials("spillway-cluster", new byte[32]);
        assertThatThrownBy(() -> transport.open(service, asNode))
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_JOB));
        assertThatThrownBy(() -> transport.open(place.address(), asNode))
                .as("a node that is not the service")
                .isInstanceOfSatisfying(
                        FetchException.class,
                        e -> assertThat(e.reason()).isEqualTo(Reason.UNKNOWN_JOB));
    }

    /** It was started again: the service learns from the nodes what they hold. */
    @Test
    void anotherServiceLearnsWhatTheNodesHold() throws Exception {
        final NodeProcess first = startService();
        startMemory();
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        final SegmentPlace place = awaitLease();
        put(open(place.address()));
        first.close();
        assertThat(fetch(open(place.address()))).as("without the service").isEqualTo(BYTES);

        startService();
        await("outputs that it knows", () -> status("service").contains("\"outputs\":1"));
        assertThat(fetch(open(place.address()))).isEqualTo(BYTES);
    }

    /** As with the service's setting in a file that all hosts have. */
    @Test
    void ofTwoServicesTheOneThatIsNamedKnowsAll() throws Exception {
        startService();
        start(
                settings(
                        "memory",
                        "spillway.placement.serve",
                        "true",
                        "spillway.node.memory.bytes",
                        String.valueOf(MEMORY),
                        "spillway.node.memory.only",
                        "true"));
        final TestManager manager = manager();
        manager.addJob(JOB);
        link(manager);
        put(open(awaitLease().address()));
        await("an output that is known", () -> cluster("service").contains("\"outputs\":1"));

        assertThat(cluster("service")).contains("\"nodes\":2,\"memoryNodes\":1");
        assertThat(cluster("memory"))
                .as("asked of the other one")
                .contains("{\"service\":\"" + service + "\"", "\"nodes\":2,\"memoryNodes\":1");
        assertThat(status("memory")).contains("\"answered\":true");
    }

    /** The name is another one of this host's: it is the service all the same. */
    @Test
    void aServiceMayBeNamedByAnyNameOfItsHost() throws Exception {
        final Map<String, String> settings =
                settings("service", "spillway.placement.serve", "true");
        settings.put("spillway.node.tcp.port", String.valueOf(service.port()));
        settings.put("spillway.placement.service", "127.0.0.7:" + service.port());
        start(settings);
        await("its own report", () -> cluster("service").contains("\"nodes\":1"));
    }

    @Test
    void settingsThatDoNotFitEachOtherAreNamed() throws Exception {
        final Map<String, String> alone = settings("alone", "spillway.placement.service", "none");
        alone.put("spillway.node.memory.bytes", "1048576");
        assertThatThrownBy(() -> start(alone))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "spillway.node.memory.bytes=1048576 needs spillway.placement.service, which"
                                + " is none: name the node process that knows all, HOST:PORT");
        assertThatThrownBy(() -> start(settings("only", "spillway.node.memory.only", "true")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("needs spillway.node.memory.bytes, which is 0");
        assertThatThrownBy(() -> start(settings("no", "spillway.placement.secret.file", "none")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("chmod 600");
        assertThatThrownBy(() -> start(settings("ucx", "spillway.node.memory.bytes", "9999999g")))
                .hasMessageContaining("spillway.node.memory.bytes=9999999g");
        assertThatThrownBy(() -> start(settings("no", "spillway.node.overflow.dir", "/x")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("/x needs spillway.node.memory.bytes, which is 0");
        final Map<String, String> missing = settings("missing", "spillway.node.overflow.dir", "/x");
        missing.put("spillway.node.memory.bytes", "1m");
        assertThatThrownBy(() -> start(missing))
                .isInstanceOf(IOException.class)
                .hasMessage("spillway.node.overflow.dir: /x is not a directory");
        Files.setPosixFilePermissions(secret(), PosixFilePermissions.fromString("rw-r-----"));
        assertThatThrownBy(() -> start(settings("open")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no permission for group and others");
    }
}
