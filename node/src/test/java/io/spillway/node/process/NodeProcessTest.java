// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static io.spillway.node.process.TestManager.attempt;
import static io.spillway.node.process.TestManager.await;
import static io.spillway.node.process.TestManager.awaitTcp;
import static io.spillway.node.process.TestManager.fetch;
import static io.spillway.node.process.TestManager.refusal;
import static io.spillway.node.process.TestManager.secretOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.spillway.conf.InvalidSettingException;
import io.spillway.host.OwnUser;
import io.spillway.host.UserSocket;
import io.spillway.node.Transports;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ControlFrameType;
import io.spillway.node.control.StatusClient;
import io.spillway.seed.TestSeed;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.version.Release;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node process in this JVM: real sockets, real handlers' links, real reducers' connections. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class NodeProcessTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String OTHER_JOB = "job_1700000000000_0002";
    private static final int CYCLES = 1000;
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @TempDir private Path folder;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private TcpTransport transport;

    @BeforeEach
    void openTransport() {
        transport = new TcpTransport(name -> null);
        opened.add(transport);
    }

    @AfterEach
    void closeAll() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    private Map<String, String> settings() {
        final Map<String, String> settings = new TreeMap<>();
        settings.put("spillway.node.socket", socket().toString());
        settings.put("spillway.node.host", "127.0.0.1");
        settings.put("spillway.node.http.port", "none");
        return settings;
    }

    private Path socket() {
        return folder.resolve("run/node.sock");
    }

    private NodeProcess start(final Map<String, String> settings) throws IOException {
        final NodeProcess node = NodeProcess.start(Transports.all(), settings::get, false);
        opened.add(node);
        return node;
    }

    private ControlClient link(final TestManager manager) {
        final ControlClient link = manager.link(socket(), ControlClient.Starter.NONE);
        opened.add(link);
        return link;
    }

    private static JobCredentials credentials(final String job) {
        return new JobCredentials(job, secretOf(job));
    }

    // ---- serving -------------------------------------------------------------------------------

    @Test
    void servesAJobToThoseWhoKnowItsSecretAndToNobodyElse() throws Exception {
        start(settings());
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        manager.addJob(OTHER_JOB);
        final NodeAddress node = awaitTcp(link(manager));

        fetch(transport, node, JOB);
        assertThat(refusal(transport, node, new JobCredentials(JOB, "guessed".getBytes(UTF_8))))
                .isEqualTo(Reason.UNKNOWN_JOB);
        assertThat(refusal(transport, node, credentials("job_1700000000000_0009")))
                .isEqualTo(Reason.UNKNOWN_JOB);
        try (Channel channel = transport.open(node, credentials(JOB))) {
            assertFails(channel, new SegmentId(attempt(OTHER_JOB), 0), 0, Reason.UNAUTHORIZED);
            assertFails(
                    channel,
                    new SegmentId(attempt(JOB), 0),
                    TestManager.SEGMENT_BYTES + 1,
                    Reason.OUT_OF_RANGE);
            assertFails(channel, new SegmentId(attempt(JOB), 1), 0, Reason.OUT_OF_RANGE);
        }
        fetch(transport, node, OTHER_JOB);
    }

    private static void assertFails(
            final Channel channel, final SegmentId segment, final long offset, final Reason reason)
            throws Exception {
        final FetchException failure = FetchRecorder.fetch(channel, segment, offset, 100).failure();
        assertThat(failure.reason()).as("%s", failure).isEqualTo(reason);
    }

    @Test
    void learnsOfJobsAsTheyComeAndGo() throws Exception {
        start(settings());
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        final ControlClient link = link(manager);
        final NodeAddress node = awaitTcp(link);
        assertThat(refusal(transport, node, credentials(JOB))).isEqualTo(Reason.UNKNOWN_JOB);

        link.jobBegan(manager.addJob(JOB));
        await("the job", () -> refusal(transport, node, credentials(JOB)) == null);
        try (Channel channel = transport.open(node, credentials(JOB))) {
            link.taskEnded(JOB);
            manager.removeJob(JOB);
            link.jobEnded(JOB);
            await("the end of its connection", () -> !channel.isOpen());
        }
        assertThat(refusal(transport, node, credentials(JOB))).isEqualTo(Reason.UNKNOWN_JOB);
    }

    @Test
    void findsAJobsOutputsOnEveryNodeManagerOfTheHost() throws Exception {
        start(settings());
        final TestManager one = new TestManager("nm-1", folder.resolve("local-1"));
        final TestManager two = new TestManager("nm-2", folder.resolve("local-2"));
        one.addJob(JOB);
        two.addJob(OTHER_JOB);
        final ControlClient first = link(one);
        final ControlClient second = link(two);
        final NodeAddress node = awaitTcp(first);
        assertThat(awaitTcp(second)).isEqualTo(node);

        fetch(transport, node, JOB);
        fetch(transport, node, OTHER_JOB);
        first.close();
        fetch(transport, node, OTHER_JOB);
    }

    @Test
    void keepsJobsForTheGraceTimeOfAHandlerThatIsGone() throws Exception {
        final Map<String, String> settings = settings();
        settings.put("spillway.node.grace.ms", "4000");
        start(settings);
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        final ControlClient link = link(manager);
        final NodeAddress node = awaitTcp(link);
        try (Channel channel = transport.open(node, credentials(JOB))) {
            link.close();
            assertThat(link.offers()).isEmpty();
            fetch(transport, node, JOB);
            await("the end of its connection", () -> !channel.isOpen());
        }
        assertThat(refusal(transport, node, credentials(JOB))).isEqualTo(Reason.UNKNOWN_JOB);
    }

    @Test
    void forgetsJobsThatEndedWhileTheHandlerWasAway() throws Exception {
        start(settings());
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        manager.addJob(OTHER_JOB);
        final ControlClient before = link(manager);
        final NodeAddress node = awaitTcp(before);
        before.close();
        manager.removeJob(JOB);
        awaitTcp(link(manager));

        assertThat(refusal(transport, node, credentials(JOB))).isEqualTo(Reason.UNKNOWN_JOB);
        fetch(transport, node, OTHER_JOB);
    }

    @Test
    void handlersFindAProcessThatStartsLaterOrAgain() throws Exception {
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        final ControlClient link = link(manager);
        assertThat(link.offers()).isEmpty();
        final NodeProcess first = start(settings());
        final long epoch = fetch(transport, awaitTcp(link), JOB);
        first.close();
        await("the loss", () -> link.offers().isEmpty());
        TimeUnit.MILLISECONDS.sleep(5);
        start(settings());
        assertThat(fetch(transport, awaitTcp(link), JOB)).isNotEqualTo(epoch);
    }

    // ---- status --------------------------------------------------------------------------------

    @Test
    void tellsWhatItDoesAndNoSecrets() throws Exception {
        final Map<String, String> settings = settings();
        settings.put("spillway.node.http.port", String.valueOf(freePort()));
        final NodeProcess node =
                NodeProcess.start(
                        List.of(Transports.all().get(0), new Impossible()), settings::get, false);
        opened.add(node);
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        fetch(transport, awaitTcp(link(manager)), JOB);

        final String json = StatusClient.ask(socket());
        assertThat(json)
                .startsWith("{\"version\":\"" + Release.VERSION + "\",")
                .contains("\"pid\":" + ProcessHandle.current().pid())
                .contains("\"name\":\"tcp\"")
                .contains("\"requests\":1,\"failures\":0")
                .contains("\"bytes\":" + TestManager.SEGMENT_BYTES)
                .contains("\"ucx\":\"there is no \\\"libucp\\\" here\"")
                .contains("\"connected\":true,\"jobs\":[\"" + JOB + "\"]")
                .doesNotContain("secret");
        final String page = settings.get("spillway.node.http.port");
        assertThat(get(page, "/metrics"))
                .contains(
                        "spillway_transport_bytes_total{transport=\"tcp\",source=\"disk\"}"
                                + " 100000\n")
                .contains("spillway_nodemanager_jobs{nodemanager=\"nm-1\"} 1\n")
                .contains("# TYPE spillway_cache_hits_total counter\n");
        assertThat(get(page, "/")).contains("src=\"/status.js\"").doesNotContain("://");
        assertThat(get(page, "/status.js"))
                .contains("fetch('/status.json'")
                .as("what others have named stays text")
                .doesNotContain("innerHTML", "outerHTML", "insertAdjacentHTML", "://");
        assertThat(get(page, "/status.json")).contains("\"epoch\":");
        assertThat(get(page, "/etc/passwd")).contains("there are /, /metrics");
    }

    private String startWithPage() throws IOException {
        final Map<String, String> settings = settings();
        settings.put("spillway.node.http.port", String.valueOf(freePort()));
        opened.add(NodeProcess.start(List.of(Transports.all().get(0)), settings::get, false));
        return settings.get("spillway.node.http.port");
    }

    /** Its name points to loopback by the time the browser asks again. */
    @ParameterizedTest
    @ValueSource(strings = {"/", "/status.js", "/metrics", "/status.json"})
    void answersNoScriptOfAForeignWebPage(final String path) throws Exception {
        final int port = Integer.parseInt(startWithPage());

        assertThat(firstLine(port, path, "rebound.example.com:" + port)).contains(" 403 ");
        assertThat(firstLine(port, path, "127.0.0.1.example.com")).contains(" 403 ");
        assertThat(firstLine(port, path, "127.0.0.1:" + port)).contains(" 200 ");
        assertThat(firstLine(port, path, "localhost:9999")).contains(" 200 ");
    }

    private static String firstLine(final int port, final String path, final String host)
            throws IOException {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.getOutputStream()
                    .write(
                            ("GET " + path + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                                    .getBytes(UTF_8));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8))
                    .readLine();
        }
    }

    @Test
    void showsJobsAndFoldersToItsOwnUserAlone() throws Exception {
        assumeThat(OwnUser.name()).as("only root becomes another user").isEqualTo("root");
        final String port = startWithPage();

        assertThat(getAsNobody(port, "/metrics")).startsWith("200");
        assertThat(getAsNobody(port, "/")).startsWith("403");
        assertThat(getAsNobody(port, "/status.json"))
                .isEqualTo(
                        "403 for the node process's user and root only; others have /metrics\n\n");
        assertThat(get(port, "/status.json")).contains("\"epoch\":");
    }

    private static String getAsNobody(final String port, final String path) throws Exception {
        final String script =
                "import sys, urllib.request, urllib.error\n"
                        + "try:\n"
                        + "  a = urllib.request.urlopen(sys.argv[1])\n"
                        + "except urllib.error.HTTPError as e:\n"
                        + "  a = e\n"
                        + "print(a.getcode(), a.read().decode())\n";
        final Process process =
                new ProcessBuilder(
                                "/usr/bin/setpriv",
                                "--reuid=65534",
                                "--clear-groups",
                                "/usr/bin/python3",
                                "-c",
                                script,
                                "http://127.0.0.1:" + port + path)
                        .redirectErrorStream(true)
                        .directory(Path.of("/").toFile())
                        .start();
        final String answer = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(answer).isZero();
        return answer;
    }

    private static String get(final String port, final String path) throws Exception {
        final HttpRequest request =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
        return HttpClient.newHttpClient()
                .send(request, HttpResponse.BodyHandlers.ofString())
                .body();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    /** A transport that this host cannot use. */
    private static final class Impossible implements TransportProvider {
        @Override
        public String name() {
            return "ucx";
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> settings) {
            return Optional.of("there is no \"libucp\" here");
        }

        @Override
        public Transport newTransport(final Function<String, String> settings) {
            throw new AssertionError("asked for a client of what has an obstacle");
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch) {
            throw new AssertionError("asked for a server of what has an obstacle");
        }
    }

    @Test
    void aTransportThatIsAskedForByNameHasToWork() {
        final Map<String, String> settings = settings();
        settings.put("spillway.node.transports", "ucx");
        assertThatThrownBy(() -> NodeProcess.start(List.of(new Impossible()), settings::get, false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("spillway.node.transports asks for ucx")
                .hasMessageContaining("there is no \"libucp\" here");
        assertThat(socket()).doesNotExist();
    }

    // ---- what is taken or wrong ----------------------------------------------------------------

    @Test
    void aStatusPortThatIsTakenCostsThePageOnly() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            final Map<String, String> settings = settings();
            settings.put("spillway.node.http.port", String.valueOf(taken.getLocalPort()));
            start(settings);
            assertThat(StatusClient.ask(socket())).contains("\"page\":\"\"");
        }
    }

    @Test
    void aHostThatIsNotThisOneIsNamed() {
        final Map<String, String> settings = settings();
        settings.put("spillway.node.host", "192.0.2.77");
        assertThatThrownBy(() -> start(settings))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("192.0.2.77:0")
                .hasMessageContaining("spillway.node.host");
    }

    @Test
    void aFolderThatOthersMayWriteToIsRefused() throws Exception {
        Files.createDirectory(folder.resolve("run"));
        Files.setPosixFilePermissions(
                folder.resolve("run"), PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> start(settings()))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has the permissions rwxrwxrwx, expected rwx------");
    }

    @Test
    void sizesThatTheHostOrTheHeapDoesNotHaveAreRefusedAtOnce() {
        final Map<String, String> beyond =
                Map.of(
                        "spillway.node.prefetch.bytes", "1t",
                        "spillway.node.index.bytes", "16g",
                        "spillway.ucx.buffer.bytes", "64g");
        for (final Map.Entry<String, String> size : beyond.entrySet()) {
            final Map<String, String> settings = settings();
            settings.put(size.getKey(), size.getValue());
            assertThatThrownBy(() -> start(settings))
                    .isInstanceOf(InvalidSettingException.class)
                    .hasMessageContaining(size + ": expected at most ")
                    .hasMessageNotContaining("\n");
        }
        assertThat(socket()).doesNotExist();
    }

    @Test
    void aSocketPathThatIsTooLongIsNamed() {
        final Map<String, String> settings = settings();
        final String path = "/" + "x".repeat(107);
        settings.put("spillway.node.socket", path);
        assertThatThrownBy(() -> start(settings))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("spillway.node.socket=" + path)
                .hasMessageContaining("at most 107 bytes");
    }

    @Test
    void aSocketThatIsLeftOverIsTakenOver() throws Exception {
        UserSocket.preparePrivateFolder(socket().getParent());
        UserSocket.bind(socket()).close();
        Files.writeString(socket().resolveSibling("node.sock.lock"), "4194305");
        assertThat(socket()).exists();
        start(settings());
        assertThat(StatusClient.ask(socket())).contains("\"pid\"");
    }

    @Test
    void isPrivateToItsUser() throws Exception {
        start(settings());
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket())))
                .isEqualTo("rw-------");
        assertThat(
                        PosixFilePermissions.toString(
                                Files.getPosixFilePermissions(socket().getParent())))
                .isEqualTo("rwx------");
    }

    // ---- bad clients, and many -----------------------------------------------------------------

    private SocketChannel connect() throws IOException {
        return SocketChannel.open(UnixDomainSocketAddress.of(socket()));
    }

    /** Seeded, for a few seconds: each ends its own connection, and no other. */
    @Test
    void garbageEndsItsOwnConnectionOnly() throws Exception {
        start(settings());
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        final ControlClient link = link(manager);
        final NodeAddress node = awaitTcp(link);
        final Random random = new Random(TestSeed.fresh(NodeProcessTest.class));
        final byte[] hello =
                bytes(new TestManager("nm-2", folder.resolve("local-2")).hello().encode());
        final long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(5);
        int sent = 0;
        while (System.nanoTime() < end) {
            final byte[] garbage = garbage(random, hello);
            try (SocketChannel socket = connect()) {
                send(socket, garbage);
                if (random.nextBoolean()) {
                    socket.shutdownOutput();
                    readToEnd(socket);
                }
            }
            sent++;
        }
        assertThat(sent).isGreaterThan(50);
        assertThat(link.offers()).isNotEmpty();
        fetch(transport, node, JOB);
        awaitSessions(1);
    }

    /** Noise, or a good frame of another NodeManager with some bytes changed or cut off. */
    private static byte[] garbage(final Random random, final byte[] hello) {
        if (random.nextBoolean()) {
            final byte[] noise = new byte[random.nextInt(5_000)];
            random.nextBytes(noise);
            return noise;
        }
        final byte[] changed = new byte[random.nextInt(hello.length) + 1];
        System.arraycopy(hello, 0, changed, 0, changed.length);
        for (int i = random.nextInt(3); i >= 0; i--) {
            changed[random.nextInt(Math.min(changed.length, 8))] = (byte) random.nextInt();
        }
        return changed;
    }

    private static byte[] bytes(final ByteBuffer buffer) {
        final byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static void send(final SocketChannel socket, final byte[] bytes) {
        final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        try {
            while (buffer.hasRemaining()) {
                socket.write(buffer);
            }
        } catch (final IOException e) {
            assertThat(e).hasMessageMatching("(?i).*(broken pipe|reset).*");
        }
    }

    private static void readToEnd(final SocketChannel socket) {
        final ByteBuffer sink = ByteBuffer.allocate(1024);
        try {
            while (socket.read(sink) >= 0) {
                sink.clear();
            }
        } catch (final IOException e) {
            assertThat(e).hasMessageContaining("reset");
        }
    }

    private static long sessions() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().matches("spillway-control-\\d+"))
                .count();
    }

    private static void awaitSessions(final long expected) throws InterruptedException {
        await(expected + " sessions", () -> sessions() == expected);
    }

    @Test
    void framesThatAreNotExpectedAreNamed() throws Exception {
        start(settings());
        try (SocketChannel socket = connect()) {
            send(socket, new byte[] {'G', 'E', 'T', ' ', '/', ' ', 'H', 'T'});
            assertThat(answer(socket)).contains("control frame: type=71, expected 1 to 14");
        }
        try (SocketChannel socket = connect()) {
            send(socket, new byte[] {1, 9, 0, 0, 0, 0});
            assertThat(answer(socket)).contains("HELLO frame: version=9, expected 3");
        }
        try (SocketChannel socket = connect()) {
            send(socket, new byte[] {1, (byte) ControlFrameType.V3, 127, 0, 0, 0});
            assertThat(answer(socket)).contains("HELLO frame: body length=2130706432, expected");
        }
        try (SocketChannel socket = connect()) {
            send(socket, new byte[] {5, (byte) ControlFrameType.V3, 0, 0, 0, 0});
            assertThat(answer(socket)).contains("JOBS_TOLD frame: not expected before HELLO");
        }
    }

    private static String answer(final SocketChannel socket) throws IOException {
        final ByteBuffer answer = ByteBuffer.allocate(2048);
        while (socket.read(answer) >= 0) {
            assertThat(answer.hasRemaining()).isTrue();
        }
        return new String(answer.array(), 0, answer.position(), UTF_8);
    }

    @Test
    void leaksNothingInAThousandConnections() throws Exception {
        start(settings());
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        final NodeAddress node = awaitTcp(link(manager));
        for (int i = 0; i < 20; i++) {
            cycle(node);
        }
        awaitSessions(1);
        final long descriptors = descriptors();
        final int threads = Thread.activeCount();
        for (int i = 0; i < CYCLES; i++) {
            cycle(node);
        }
        awaitSessions(1);
        await("file descriptors as before", () -> descriptors() <= descriptors + 5);
        assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 5);
        fetch(transport, node, JOB);
    }

    /** A question on the socket, a reducer's connection, and one of each that is just dropped. */
    private void cycle(final NodeAddress node) throws IOException {
        assertThat(StatusClient.ask(socket())).contains(JOB);
        transport.open(node, credentials(JOB)).close();
        connect().close();
        SocketChannel.open(new InetSocketAddress(node.host(), node.port())).close();
    }

    private static long descriptors() {
        try (Stream<Path> files = Files.list(DESCRIPTORS)) {
            return files.count();
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
