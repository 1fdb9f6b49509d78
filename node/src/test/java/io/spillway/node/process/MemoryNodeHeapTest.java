// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.node.control.ControlClient;
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
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.tcp.TcpTransport;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A memory node in a JVM with a small heap, which is filled with what takes the most of the heap
 * for the fewest bytes.
 */
@Timeout(value = 300, unit = TimeUnit.SECONDS)
class MemoryNodeHeapTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final int WINDOW = 200;
    private static final int SEGMENTS = 1_000;
    private static final int REDUCERS = 40_000;

    /** Far more than any heap of this test can hold. */
    private static final int MOST_OUTPUTS = 5_000;

    private static final byte[] BYTE = {42};

    @TempDir private Path folder;
    private final Semaphore window = new Semaphore(WINDOW);
    private final AtomicReference<FetchException> failure = new AtomicReference<>();

    @Test
    void shortAndEmptySegmentsFillAMemoryNodeWhichThenRefusesAndServes() throws Exception {
        final int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = socket.getLocalPort();
        }
        final NodeAddress address = new NodeAddress("127.0.0.1", port);
        final TestManager manager = new TestManager("nm-1", folder.resolve("local"));
        manager.addJob(JOB);
        try (NodeChild node = NodeChild.start(folder, settings(address)).awaitServing();
                ControlClient link =
                        manager.link(NodeChild.socket(folder), ControlClient.Starter.NONE);
                TcpTransport transport = new TcpTransport(name -> null)) {
            final NodeAddress served = TestManager.awaitTcp(link);
            assertThat(served).isEqualTo(address);
            try (Channel channel = open(transport, address)) {
                assertThat(fillWithBytes(channel)).isPositive();
                assertThat(fillWithEmptySegments(channel)).isNotNegative();
                assertThat(fetch(channel, new SegmentId("bytes0", SEGMENTS - 1))).isEqualTo(BYTE);
            }
            assertThat(node.log()).doesNotContain("OutOfMemoryError");
            assertThat(node.stop()).isEqualTo(128 + 15);
        }
    }

    private Map<String, String> settings(final NodeAddress address) throws Exception {
        final Path secret =
                Files.createFile(
                        folder.resolve("cluster.secret"),
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        Files.writeString(secret, "a secret of the nodes of this test");
        return Map.of(
                "spillway.node.tcp.port", String.valueOf(address.port()),
                "spillway.node.memory.bytes", "256m",
                "spillway.placement.serve", "true",
                "spillway.placement.service", address.toString(),
                "spillway.placement.secret.file", secret.toString());
    }

    private static Channel open(final TcpTransport transport, final NodeAddress address)
            throws InterruptedException {
        final List<Channel> opened = new ArrayList<>();
        TestManager.await(
                "a node that knows the job",
                () -> {
                    try {
                        return opened.add(
                                transport.open(
                                        address,
                                        new JobCredentials(JOB, TestManager.secretOf(JOB))));
                    } catch (final FetchException e) {
                        return false;
                    }
                });
        return opened.get(0);
    }

    /** Outputs of many segments of one byte, until one does not fit; how many are whole. */
    private int fillWithBytes(final Channel channel) throws Exception {
        final CRC32C crc = new CRC32C();
        crc.update(BYTE);
        final int checksum = (int) crc.getValue();
        for (int output = 0; output < MOST_OUTPUTS; output++) {
            final String name = "bytes" + output;
            final List<OutputSummary.Segment> segments = new ArrayList<>();
            for (int partition = 0; partition < SEGMENTS; partition++) {
                put(channel, new SegmentId(name, partition));
                segments.add(new OutputSummary.Segment(partition, 0, 1, 1, checksum));
            }
            window.acquire(WINDOW);
            window.release(WINDOW);
            if (failure.get() != null) {
                assertThat(failure.get().reason()).isEqualTo(Reason.FULL);
                return output;
            }
            if (!isCommitted(channel, new OutputSummary(name, segments))) {
                return output;
            }
        }
        throw new AssertionError("the node takes everything");
    }

    private void put(final Channel channel, final SegmentId id) throws InterruptedException {
        window.acquire();
        channel.put(
                id,
                0,
                ByteBuffer.wrap(BYTE),
                new PutListener() {
                    @Override
                    public void onAcknowledged(final ByteBuffer source) {
                        window.release();
                    }

                    @Override
                    public void onFailed(final ByteBuffer source, final FetchException cause) {
                        failure.compareAndSet(null, cause);
                        window.release();
                    }
                });
    }

    /** Outputs without a byte, until one does not fit; how many are whole. */
    private static int fillWithEmptySegments(final Channel channel) throws Exception {
        final List<OutputSummary.Segment> segments = new ArrayList<>();
        for (int partition = 0; partition < REDUCERS; partition++) {
            segments.add(new OutputSummary.Segment(partition, 0, 0, 0, 0));
        }
        for (int output = 0; output < MOST_OUTPUTS; output++) {
            if (!isCommitted(channel, new OutputSummary("empty" + output, segments))) {
                return output;
            }
        }
        throw new AssertionError("the node takes everything");
    }

    /** Whether there was room. */
    private static boolean isCommitted(final Channel channel, final OutputSummary output)
            throws Exception {
        try {
            channel.commit(output).get(60, TimeUnit.SECONDS);
            return true;
        } catch (final ExecutionException e) {
            assertThat(e.getCause())
                    .isInstanceOfSatisfying(
                            FetchException.class,
                            cause -> assertThat(cause.reason()).isEqualTo(Reason.FULL));
            return false;
        }
    }

    private static byte[] fetch(final Channel channel, final SegmentId id) throws Exception {
        final CompletableFuture<byte[]> fetched = new CompletableFuture<>();
        channel.fetch(
                id,
                0,
                ByteBuffer.allocate(1),
                new FetchListener() {
                    @Override
                    public void onFetched(final ByteBuffer destination, final FetchReply reply) {
                        fetched.complete(new byte[] {destination.get(0)});
                    }

                    @Override
                    public void onElsewhere(
                            final ByteBuffer destination, final SegmentPlaces places) {
                        fetched.completeExceptionally(new AssertionError("at " + places));
                    }

                    @Override
                    public void onFailed(final ByteBuffer destination, final FetchException cause) {
                        fetched.completeExceptionally(cause);
                    }
                });
        return fetched.get(60, TimeUnit.SECONDS);
    }
}
