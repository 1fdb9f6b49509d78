// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static io.spillway.node.process.TestManager.attempt;
import static io.spillway.node.process.TestManager.await;
import static io.spillway.node.process.TestManager.secretOf;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.node.Transports;
import io.spillway.node.control.ControlClient;
import io.spillway.report.TaskReport;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.choice.ChoosingTransport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.ServerStats;
import io.spillway.transport.serve.UnavailableException;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a node process offers to those who come to its tcp server, as to a memory node's. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class NodeOffersTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final byte[] SECRET = "a shuffle secret".getBytes(UTF_8);
    private static final long EPOCH = 5;

    private static final String HOLDS_OUTPUTS =
            "ucx: spillway.node.memory.bytes=1048576, expected 0: a process that holds outputs of"
                    + " other hosts does not serve ucx; reducers fetch from it over tcp";

    private static final List<TransportProvider> UCX_AND_TCP =
            Transports.all().stream()
                    .filter(provider -> List.of("tcp", "ucx").contains(provider.name()))
                    .toList();

    @TempDir private Path folder;

    private static List<TransportOffer> offersAt(final NodeAddress node, final byte[] secret)
            throws FetchException {
        try (TcpTransport transport = new TcpTransport(name -> null);
                Channel channel = transport.open(node, new JobCredentials(JOB, secret))) {
            return channel.offers();
        }
    }

    private static TransportServers serve(final List<TransportProvider> providers)
            throws IOException {
        return serve(providers, "auto");
    }

    private static TransportServers serve(
            final List<TransportProvider> providers, final String transports) throws IOException {
        return serve(providers, transports, "0");
    }

    private static TransportServers serve(
            final List<TransportProvider> providers, final String transports, final String memory)
            throws IOException {
        final Map<String, String> settings =
                Map.of(
                        "spillway.node.host", "127.0.0.1",
                        "spillway.node.transports", transports,
                        "spillway.node.memory.bytes", memory);
        return TransportServers.start(
                providers,
                (job, segment) -> {
                    throw new FetchException(FetchException.Reason.NOT_FOUND, "no outputs here");
                },
                job -> SECRET,
                settings::get,
                EPOCH);
    }

    @Test
    void tcpOffersTheOthersOnceTheyHaveStarted() throws Exception {
        final NotingTcp tcp = new NotingTcp();
        final Second second = new Second(tcp);
        try (TransportServers servers = serve(List.of(tcp, second))) {
            assertThat(second.offeredBefore).as("while it starts").isEmpty();
            final NodeAddress itself = servers.servers().get(1).address();
            assertThat(offersAt(tcp.server.address(), SECRET))
                    .containsExactly(new TransportOffer(Second.NAME, itself));
            assertThat(offersAt(itself, SECRET)).as("at the door of the other").isEmpty();
        }
    }

    @Test
    void tcpAloneOffersNothing() throws Exception {
        final NotingTcp tcp = new NotingTcp();
        try (TransportServers servers = serve(List.of(tcp))) {
            assertThat(servers.offers()).extracting(TransportOffer::transport).contains("tcp");
            assertThat(offersAt(tcp.server.address(), SECRET)).isEmpty();
        }
    }

    @Test
    void theOthersAreServedWithoutOneThatIsNotAvailableUnlessItWasAskedFor() throws Exception {
        final NotingTcp tcp = new NotingTcp();
        final List<TransportProvider> providers = List.of(tcp, new Unavailable(tcp));
        try (TransportServers servers = serve(providers, "auto")) {
            assertThat(servers.offers())
                    .extracting(TransportOffer::transport)
                    .containsExactly("tcp");
            assertThat(servers.obstacles()).isEqualTo(Map.of(Unavailable.NAME, Unavailable.REASON));
        }
        assertThatThrownBy(() -> serve(providers, "tcp," + Unavailable.NAME))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("asks for " + Unavailable.NAME)
                .hasMessageEndingWith("which cannot work here: " + Unavailable.REASON);
        assertThatThrownBy(() -> offersAt(tcp.server.address(), SECRET))
                .as("the tcp that had started")
                .isInstanceOf(FetchException.class);
    }

    /** A client that crashes UCX, or gets at its memory, must find no outputs of others there. */
    @Test
    void aProcessThatHoldsOutputsOfOthersServesNoUcx() throws Exception {
        try (TransportServers servers = serve(UCX_AND_TCP, "auto", "1m")) {
            assertThat(servers.offers())
                    .extracting(TransportOffer::transport)
                    .containsExactly("tcp");
            assertThat(servers.obstacles()).isEqualTo(Map.of("ucx", HOLDS_OUTPUTS));
        }
        assertThatThrownBy(() -> serve(UCX_AND_TCP, "tcp,ucx", "1m"))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        "spillway.node.transports asks for ucx, which cannot work here: "
                                + HOLDS_OUTPUTS);
        assertThatThrownBy(() -> serve(UCX_AND_TCP, "ucx", "1m").close())
                .isInstanceOf(IOException.class)
                .hasMessageEndingWith(HOLDS_OUTPUTS);
    }

    /** As a reducer does that comes to a node by an address, without its NodeManager's offer. */
    @Test
    void aReducerGoesOnToUcxWithTheTcpServerOfANodeProcess() throws Exception {
        final Optional<String> obstacle =
                Transports.all().stream()
                        .filter(provider -> provider.name().equals("ucx"))
                        .findFirst()
                        .orElseThrow()
                        .obstacle(name -> null);
        assumeTrue(obstacle.isEmpty(), obstacle.orElse(""));
        final Map<String, String> settings = new TreeMap<>();
        settings.put("spillway.node.socket", folder.resolve("run/node.sock").toString());
        settings.put("spillway.node.host", "127.0.0.1");
        settings.put("spillway.node.http.port", "none");
        settings.put("spillway.shuffle.read.timeout.ms", "60000"); // where tests get no processor
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        try (NodeProcess node = NodeProcess.start(Transports.all(), settings::get, false);
                ControlClient link =
                        manager.link(
                                Path.of(settings.get("spillway.node.socket")),
                                ControlClient.Starter.NONE);
                Transport reducer =
                        new ChoosingTransport(
                                new TcpTransport(settings::get), Transports.all(), settings::get)) {
            await("an offer", () -> !link.offers().isEmpty());
            assertThat(offersAt(TestManager.awaitTcp(link), secretOf(JOB)))
                    .as("what the NodeManager offers of %s, without tcp", node)
                    .isEqualTo(
                            link.offers().stream()
                                    .filter(offer -> !offer.transport().equals("tcp"))
                                    .toList());
            fetch(reducer, TestManager.awaitTcp(link));
            final TaskReport report = new TaskReport();
            reducer.noteIn(report);
            assertThat(report.toJson())
                    .contains("\"transport_bytes\":{\"ucx\":" + TestManager.SEGMENT_BYTES + "}")
                    .contains("ucx: same host, shared memory");
        }
    }

    private static void fetch(final Transport reducer, final NodeAddress node) throws Exception {
        try (Channel channel = reducer.open(node, new JobCredentials(JOB, secretOf(JOB)))) {
            final SegmentId segment = new SegmentId(attempt(JOB), 0);
            assertThat(FetchRecorder.fetch(channel, segment, 0, TestManager.SEGMENT_BYTES).bytes())
                    .isEqualTo(TestManager.segment(JOB));
        }
    }

    /** tcp, whose server the test can reach while others are being started. */
    private static final class NotingTcp implements TransportProvider {
        private final TcpTransportProvider tcp = new TcpTransportProvider();
        private SegmentServer server;

        @Override
        public String name() {
            return tcp.name();
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> settings) {
            return Optional.empty();
        }

        @Override
        public Transport newTransport(final Function<String, String> settings) {
            return tcp.newTransport(settings);
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch)
                throws IOException {
            throw new AssertionError("a node process says what else it offers");
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch,
                final Supplier<List<TransportOffer>> others)
                throws IOException {
            server = tcp.newServer(host, port, source, secrets, settings, epoch, others);
            return server;
        }
    }

    /** A transport that finds out only when it starts that it cannot be served. */
    private static final class Unavailable implements TransportProvider {
        private static final String NAME = "mpi";
        private static final String REASON = "no other rank has come";

        private final NotingTcp client;

        Unavailable(final NotingTcp client) {
            this.client = client;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> settings) {
            return Optional.empty();
        }

        @Override
        public Transport newTransport(final Function<String, String> settings) {
            return client.newTransport(settings);
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch)
                throws IOException {
            throw new UnavailableException(REASON);
        }
    }

    /** Another transport, which tells its clients of no others. */
    private static final class Second implements TransportProvider {
        private static final String NAME = "second";

        private final NotingTcp first;
        private final List<TransportOffer> offeredBefore = new ArrayList<>();

        Second(final NotingTcp first) {
            this.first = first;
        }

        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Optional<String> obstacle(final Function<String, String> settings) {
            return Optional.empty();
        }

        @Override
        public Transport newTransport(final Function<String, String> settings) {
            return first.newTransport(settings);
        }

        @Override
        public SegmentServer newServer(
                final String host,
                final int port,
                final SegmentSource source,
                final JobSecrets secrets,
                final Function<String, String> settings,
                final long epoch)
                throws IOException {
            offeredBefore.addAll(offersAt(first.server.address(), SECRET));
            return new SecondServer(
                    new TcpTransportProvider()
                            .newServer(host, port, source, secrets, settings, epoch));
        }
    }

    /** Its server: tcp's under another name. */
    private record SecondServer(SegmentServer server) implements SegmentServer {
        @Override
        public String transport() {
            return Second.NAME;
        }

        @Override
        public NodeAddress address() {
            return server.address();
        }

        @Override
        public ServerStats stats() {
            return server.stats();
        }

        @Override
        public void addJobsInUse(final Set<String> jobs) {
            server.addJobsInUse(jobs);
        }

        @Override
        public void dropJob(final String jobId) {
            server.dropJob(jobId);
        }

        @Override
        public void close() {
            server.close();
        }
    }
}
