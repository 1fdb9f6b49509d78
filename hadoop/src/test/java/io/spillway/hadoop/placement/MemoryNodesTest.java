// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.spi.OutputPlaces;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.node.Transports;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ManagerHello;
import io.spillway.node.process.NodeProcess;
import io.spillway.placement.client.LeaseClient;
import io.spillway.placement.message.LeasePolicy;
import io.spillway.transport.Channel;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentPlace;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.serve.ServedJob;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A map that looks for memory, among node processes in this JVM. */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class MemoryNodesTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000007_0";
    private static final byte[] SECRET = "secret of the job".getBytes(StandardCharsets.US_ASCII);
    private static final long MEMORY = 4L << 20;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    @TempDir private Path folder;
    private final List<AutoCloseable> opened = new ArrayList<>();
    private NodeAddress service;
    private NodeProcess serving;
    private NodeProcess memory;
    private MemoryNodes nodes;

    @BeforeEach
    void start() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            service = new NodeAddress("127.0.0.1", socket.getLocalPort());
        }
        final Path secret = folder.resolve("cluster.secret");
        Files.createFile(
                secret,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret of the nodes of this test");
        serving =
                startNode(
                        "service",
                        Map.of(
                                "spillway.placement.serve",
                                "true",
                                "spillway.node.tcp.port",
                                String.valueOf(service.port())));
        memory = startMemoryNode("memory");
        final ManagerHello hello =
                new ManagerHello(
                        "nm-1", new NodeAddress("127.0.0.1", 13_562), List.of(folder), List.of());
        opened.add(
                ControlClient.start(
                        folder.resolve("service/node.sock"),
                        () -> hello,
                        () -> List.of(new ServedJob(JOB, "alice", SECRET)),
                        ControlClient.Starter.NONE));
        nodes = asking(1);
    }

    private MemoryNodes asking(final int copies) {
        final TcpTransport transport = new TcpTransport(name -> null);
        final JobCredentials credentials = new JobCredentials(JOB, SECRET);
        final LeaseClient leases =
                new LeaseClient(transport, service, credentials, LeasePolicy.DEDICATED, copies);
        final MemoryNodes asking = new MemoryNodes(leases, transport, credentials);
        opened.add(asking);
        return asking;
    }

    private NodeProcess startMemoryNode(final String name) throws IOException {
        return startNode(
                name,
                Map.of(
                        "spillway.node.memory.bytes",
                        String.valueOf(MEMORY),
                        "spillway.node.memory.only",
                        "true"));
    }

    private NodeProcess startNode(final String name, final Map<String, String> more)
            throws IOException {
        final Map<String, String> settings = new TreeMap<>(more);
        settings.put("spillway.node.socket", folder.resolve(name + "/node.sock").toString());
        settings.put("spillway.node.host", "127.0.0.1");
        settings.put("spillway.node.http.port", "none");
        settings.put("spillway.node.transports", "tcp");
        settings.put("spillway.placement.service", service.toString());
        settings.put("spillway.placement.secret.file", folder.resolve("cluster.secret").toString());
        final NodeProcess node = NodeProcess.start(Transports.all(), settings::get, false);
        opened.add(node);
        return node;
    }

    @AfterEach
    void stop() throws Exception {
        for (int i = opened.size() - 1; i >= 0; i--) {
            opened.get(i).close();
        }
    }

    /** The nodes learn of the job a moment after its host has. */
    private RemoteOutput awaitPlace() throws InterruptedException {
        return awaitPlaces(nodes, 1);
    }

    /** Asks for one output after the other until a place has so many copies. */
    private static RemoteOutput awaitPlaces(final MemoryNodes asking, final int copies)
            throws InterruptedException {
        final long start = System.nanoTime();
        for (int i = 0; true; i++) {
            final Optional<RemoteOutput> found = asking.place(OUTPUT + i, 1000);
            if (found.isPresent() && found.get().copies().size() >= copies) {
                return found.get();
            }
            found.ifPresent(RemoteOutput::close);
            assertThat(System.nanoTime() - start)
                    .as("nanos for %s places", copies)
                    .isLessThan(PATIENCE_NANOS);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Test
    void connectsToANodeThatHasRoom() throws Exception {
        try (RemoteOutput place = awaitPlace()) {
            assertThat(place.output()).startsWith(OUTPUT);
            assertThat(place.places()).hasSize(1);
            assertThat(place.places().get(0).address()).isNotEqualTo(service);
            assertThat(place.copies().get(0).isOpen()).isTrue();
        }
    }

    @Test
    void connectsToAsManyNodesAsCopiesAreAskedFor() throws Exception {
        final NodeProcess other = startMemoryNode("other");
        try (RemoteOutput place = awaitPlaces(asking(2), 2)) {
            assertThat(place.places()).hasSize(2).doesNotHaveDuplicates();
            assertThat(place.copies()).allMatch(Channel::isOpen);
        }
        other.close();
        try (RemoteOutput place = awaitPlaces(asking(2), 1)) {
            assertThat(place.copies()).hasSize(1);
        }
    }

    @Test
    void reducersLearnFromTheServiceWhereOutputsAre() throws Exception {
        final JobCredentials us = new JobCredentials(JOB, SECRET);
        final OutputPlaces places = locating(us);
        final String output;
        final SegmentPlace held;
        try (RemoteOutput place = awaitPlace()) {
            output = place.output();
            held = place.places().get(0);
            assertThat(places.locate(List.of(output))).as("leased, not held").isEmpty();
            final OutputSummary empty =
                    new OutputSummary(output, List.of(new OutputSummary.Segment(0, 0, 0, 0, 0)));
            place.copies().get(0).commit(empty).get(30, TimeUnit.SECONDS);
        }
        final long start = System.nanoTime();
        while (places.locate(List.of("unknown", output)).isEmpty()) {
            assertThat(System.nanoTime() - start).as("nanos").isLessThan(PATIENCE_NANOS);
            TimeUnit.MILLISECONDS.sleep(50);
        }
        assertThat(places.locate(List.of("unknown", output)))
                .isEqualTo(Map.of(output, new SegmentPlaces(List.of(held))));

        final OutputPlaces strange = locating(new JobCredentials(JOB, new byte[20]));
        assertThatThrownBy(() -> strange.locate(List.of(output))).isInstanceOf(IOException.class);
        serving.close();
        assertThatThrownBy(() -> places.locate(List.of(output))).isInstanceOf(IOException.class);
        assertThat(LocatingService.of(name -> null, us)).isSameAs(OutputPlaces.NONE);
    }

    private OutputPlaces locating(final JobCredentials us) {
        return LocatingService.of(
                Map.of("spillway.placement.service", service.toString())::get, us);
    }

    @Test
    void keepsWhatNoNodeHasRoomFor() throws Exception {
        awaitPlace().close();
        final long before = nodes.refused();
        assertThat(nodes.place("another", MEMORY + 1)).isEmpty();
        assertThat(nodes.refused()).isEqualTo(before + 1);
    }

    @Test
    void keepsTheOutputWhereTheNodeIsGone() throws Exception {
        awaitPlace().close();
        memory.close();
        assertThat(nodes.place(OUTPUT, 100_000)).isEmpty();
    }

    @Test
    void keepsTheOutputWhereTheServiceIsGone() throws Exception {
        awaitPlace().close();
        serving.close();
        assertThat(nodes.place(OUTPUT, 100_000)).isEmpty();
    }
}
