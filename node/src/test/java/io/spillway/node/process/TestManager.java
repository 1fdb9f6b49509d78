// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.node.ToyLayout;
import io.spillway.node.control.ControlClient;
import io.spillway.node.control.ManagerHello;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServedJob;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A NodeManager as its handler tells of it: jobs, and map outputs in a local directory. */
public final class TestManager {
    static final int SEGMENT_BYTES = 100_000;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(120);

    private final String name;
    private final Path localDir;
    private final Map<String, ServedJob> jobs = new ConcurrentHashMap<>();
    private final List<ManagerHello.Store> stores = new ArrayList<>();

    public TestManager(final String name, final Path localDir) {
        this.name = name;
        this.localDir = localDir;
    }

    public static void await(final String what, final BooleanSupplier condition)
            throws InterruptedException {
        final long start = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - start).as(what).isLessThan(PATIENCE_NANOS);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    public static byte[] secretOf(final String jobId) {
        return ("secret of " + jobId).getBytes(StandardCharsets.UTF_8);
    }

    public static String attempt(final String jobId) {
        return ToyLayout.output(jobId, 0);
    }

    /** A job with one map output of one partition. */
    public ServedJob addJob(final String jobId) throws IOException {
        final ServedJob job = new ServedJob(jobId, "alice", secretOf(jobId));
        final Path folder = localDir.resolve(ToyLayout.folder("alice", jobId, attempt(jobId)));
        Files.createDirectories(folder);
        Files.write(folder.resolve(ToyLayout.DATA), segment(jobId));
        final MapOutputIndex index = new MapOutputIndex(1);
        index.put(0, new IndexEntry(0, SEGMENT_BYTES, SEGMENT_BYTES));
        try (OutputStream out = Files.newOutputStream(folder.resolve(ToyLayout.INDEX))) {
            index.writeTo(out);
        }
        jobs.put(jobId, job);
        return job;
    }

    public void removeJob(final String jobId) {
        jobs.remove(jobId);
    }

    static byte[] segment(final String jobId) {
        final byte[] bytes = new byte[SEGMENT_BYTES];
        new Random(jobId.hashCode()).nextBytes(bytes);
        return bytes;
    }

    /** It offers a tier; before its handler connects. */
    void addStore(final ManagerHello.Store store) {
        stores.add(store);
    }

    ManagerHello hello() {
        return new ManagerHello(
                name,
                new NodeAddress("127.0.0.1", 13_562),
                List.of(localDir.resolve("not-there"), localDir),
                List.copyOf(stores));
    }

    public ControlClient link(final Path socket, final ControlClient.Starter starter) {
        return ControlClient.start(socket, this::hello, () -> List.copyOf(jobs.values()), starter);
    }

    /** Waits until the link has an offer, and gives tcp's address. */
    public static NodeAddress awaitTcp(final ControlClient link) throws InterruptedException {
        await("an offer", () -> !link.offers().isEmpty());
        final List<TransportOffer> offers = link.offers();
        assertThat(offers).extracting(TransportOffer::transport).contains("tcp");
        return offers.stream()
                .filter(offer -> offer.transport().equals("tcp"))
                .findFirst()
                .orElseThrow()
                .address();
    }

    /** Fetches a job's segment as its reducer does, checks it, and tells the node's epoch. */
    public static long fetch(final TcpTransport transport, final NodeAddress node, final String job)
            throws Exception {
        try (Channel channel = transport.open(node, new JobCredentials(job, secretOf(job)))) {
            final FetchRecorder fetched =
                    FetchRecorder.fetch(
                            channel, new SegmentId(attempt(job), 0), 0, 2 * SEGMENT_BYTES);
            assertThat(fetched.bytes()).isEqualTo(segment(job));
            return channel.epoch();
        }
    }

    /** Why a connection with these credentials is refused; null when it is not. */
    public static FetchException.Reason refusal(
            final TcpTransport transport,
            final NodeAddress node,
            final JobCredentials credentials) {
        try (Channel channel = transport.open(node, credentials)) {
            assertThat(channel.isOpen()).isTrue();
            return null;
        } catch (final FetchException e) {
            return e.reason();
        }
    }
}
