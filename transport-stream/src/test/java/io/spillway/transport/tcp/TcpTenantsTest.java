// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import static io.spillway.transport.TestSegments.attempt;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.TierName;
import io.spillway.conf.WireTier;
import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.wire.DataFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.PutFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two jobs at one node, of which one takes all that it can. */
@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class TcpTenantsTest {
    private static final String HOSTILE = "job_1700000000000_0666";
    private static final String OTHER = "job_1700000000000_0001";
    private static final String NODES = "nodes";
    private static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    private static final int PUT = 64 << 10;
    private static final int LONG = 16 << 20;

    private final JobSecrets secrets =
            new JobSecrets() {
                @Override
                public byte[] secretOf(final String jobId) {
                    return SECRET;
                }

                @Override
                public boolean isOfNodes(final String jobId) {
                    return jobId.equals(NODES);
                }
            };
    private final List<AutoCloseable> opened = new ArrayList<>();

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

    private TcpNode node(final SegmentSource source, final int connections, final long idleMillis) {
        final ServerSettings settings =
                new ServerSettings(connections, 64 << 20, LONG, 16, 10_000, idleMillis, 2)
                        .withPuts(16, 1 << 20, 16 * PUT);
        return later(new TcpNode(source, secrets, settings));
    }

    private MemorySegments store() {
        return new MemorySegments(64 << 20, 4096, secrets, DirectMemory.SYSTEM);
    }

    private Peer connect(final TcpNode node, final String job) throws IOException {
        final Peer peer = later(Peer.connect(node.address()));
        peer.shakeHands(job, SECRET);
        return peer;
    }

    private static PutFrame put(final long id, final String output) {
        final CRC32C crc = new CRC32C();
        crc.update(new byte[PUT]);
        return new PutFrame(id, new SegmentId(output, 0), 0, PUT, (int) crc.getValue());
    }

    private static void requirePut(final Peer peer, final String output) throws IOException {
        peer.send(put(1, output)::encode);
        peer.send(new byte[PUT], PUT);
        assertThat(peer.read().type()).isEqualTo(FrameType.ACK);
    }

    @Test
    void putsWhoseBytesDoNotComeHoldNoOtherJobsPuts() throws Exception {
        final TcpNode node = node(store(), 100, 60_000);
        for (int i = 0; i < 32; i++) {
            connect(node, HOSTILE).send(put(1, attempt(i))::encode);
        }
        final Peer other = connect(node, OTHER);
        for (int i = 0; i < 10; i++) {
            requirePut(other, attempt(i));
        }
    }

    @Test
    void aPutThatTricklesIsCutOffAndItsMemoryIsForOthers() throws Exception {
        final MemorySegments store = store();
        final TcpNode node = node(store, 100, 400);
        final Peer slow = connect(node, HOSTILE);
        slow.send(put(1, attempt(1))::encode);
        final long start = System.nanoTime();
        boolean isCut = false;
        while (!isCut && System.nanoTime() - start < TimeUnit.SECONDS.toNanos(60)) {
            try {
                slow.send(new byte[1], 1);
                Thread.sleep(20);
            } catch (final IOException e) {
                isCut = true;
            }
        }
        assertThat(isCut).isTrue();
    }

    @Test
    void oneJobsConnectionsLeaveSomeToOthersAndToNodes() throws Exception {
        final TcpNode node = node(store(), 20, 60_000);
        int served = 0;
        while (isServed(node, HOSTILE)) {
            served++;
        }
        assertThat(served).isBetween(10, 19);
        requirePut(connect(node, OTHER), attempt(1));
        while (isServed(node, OTHER)) {
            served++;
        }
        while (isServed(node, "job_1700000000000_0002")) {
            served++;
        }
        for (int i = 0; i < 10; i++) {
            assertThat(isServed(node, NODES)).isTrue();
        }
    }

    private boolean isServed(final TcpNode node, final String job) throws IOException {
        return later(Peer.connect(node.address())).isServed(job, SECRET);
    }

    @Test
    void clientsThatDoNotReadHoldNoOtherJobsCopies() throws Exception {
        final TcpNode node = node((jobId, segment) -> new Copied(), 100, 60_000);
        for (int i = 0; i < 8; i++) {
            connect(node, HOSTILE).send(new FetchFrame(1, 0, 0, 0, LONG, attempt(3))::encode);
        }
        final Peer other = connect(node, OTHER);
        for (int i = 0; i < 3; i++) {
            other.send(new FetchFrame(i, 0, 0, 0, 1 << 20, attempt(3))::encode);
            final Peer.Frame answer = other.read();
            assertThat(answer.type()).isEqualTo(FrameType.DATA);
            assertThat(other.readBytes(DataFrame.decode(answer.body(), answer.version()).length()))
                    .hasSize(1 << 20);
        }
    }

    /** Bytes that lie in no file. */
    private static final class Copied implements ServedSegment {
        @Override
        public long partLength() {
            return LONG;
        }

        @Override
        public long rawLength() {
            return LONG;
        }

        @Override
        public TierName tier() {
            return WireTier.MEMORY;
        }

        @Override
        public void read(final long offset, final ByteBuffer destination) {
            destination.position(destination.limit());
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
