// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.remote;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.spi.RemoteOutput;
import io.spillway.transport.Channel;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchRecorder;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outputs that are sent to memory nodes over tcp, and fetched from there. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteSinkTcpTest {
    private static final JobCredentials JOB =
            new JobCredentials("job_1700000000000_0001", "known to the job".getBytes(UTF_8));
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000000_0";
    private static final long ROOM = 256L << 20;

    private final JobSecrets secrets = job -> job.equals(JOB.jobId()) ? JOB.secret() : null;
    private final TcpTransportProvider tcp = new TcpTransportProvider();
    private final MemorySegments segments =
            new MemorySegments(ROOM, MemorySegments.CHUNK_BYTES, secrets, DirectMemory.SYSTEM);
    private final Transport transport = tcp.newTransport(Map.<String, String>of()::get);
    private SegmentServer node;

    @BeforeEach
    void start() throws IOException {
        node = tcp.newServer("127.0.0.1", 0, segments, secrets, name -> null, 17);
    }

    @AfterEach
    void stop() {
        transport.close();
        node.close();
    }

    private RemoteOutput remote() throws IOException {
        return new RemoteOutput(
                OUTPUT,
                List.of(transport.open(node.address(), JOB)),
                address -> transport.open(address, JOB));
    }

    @ParameterizedTest
    @CsvSource({"1, 65536", "37, 1024", "37, 16384", "2000, 65536"})
    void reducersFetchTheBytesOfALocalFileVerified(final int partitions, final int blockLength)
            throws Exception {
        final TestOutput output = new TestOutput(blockLength, partitions, blockLength);
        try (RemoteOutput remote = remote();
                RemoteSink sink = new RemoteSink(remote, blockLength)) {
            output.writeTo(sink, sink::endSegment);
            sink.commit();
            assertThat(remote.places().get(0).epoch()).isEqualTo(17);
        }
        final TestOutput.Local local = output.local();
        try (Channel reducer = transport.open(node.address(), JOB)) {
            for (int partition = 0; partition < partitions; partition++) {
                final byte[] expected = local.segment(partition);
                final SegmentId id = new SegmentId(OUTPUT, partition);
                final FetchRecorder fetch = FetchRecorder.fetch(reducer, id, 0, expected.length);
                assertThat(fetch.bytes()).isEqualTo(expected);
                final FetchReply reply = fetch.reply();
                final CRC32C crc = new CRC32C();
                crc.update(expected);
                assertThat(reply.checksum()).isEqualTo(crc.getValue());
                assertThat(reply.rawLength()).isEqualTo(local.rawLength(partition));
            }
        }
    }

    @Test
    void aNodeThatDiesFailsTheOutputAtOnce() throws IOException {
        final TestOutput output = new TestOutput(3, 10, 65536);
        try (RemoteOutput remote = remote();
                RemoteSink sink = new RemoteSink(remote, output.blockLength())) {
            output.writeTo(sink, sink::endSegment);
            node.close();
            assertThatThrownBy(sink::commit)
                    .isInstanceOf(RemoteStoreException.class)
                    .hasMessageStartingWith(node.address() + " does not take " + OUTPUT);
        }
    }

    @Test
    void aNodeThatTakesNoPutsSaysSo() throws IOException {
        final TestOutput output = new TestOutput(4, 10, 65536);
        final SegmentServer other =
                tcp.newServer("127.0.0.1", 0, (job, id) -> null, secrets, name -> null, 18);
        try (RemoteOutput remote =
                        new RemoteOutput(
                                OUTPUT,
                                List.of(transport.open(other.address(), JOB)),
                                address -> transport.open(address, JOB));
                RemoteSink sink = new RemoteSink(remote, output.blockLength())) {
            assertThatThrownBy(
                            () -> {
                                output.writeTo(sink, sink::endSegment);
                                sink.commit();
                            })
                    .isInstanceOf(RemoteStoreException.class)
                    .hasMessageContaining("NO_SINK");
        } finally {
            other.close();
        }
    }
}
