// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.TestSegment;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.hadoop.map.MapCollector;
import io.spillway.hadoop.map.MapFixture;
import io.spillway.hadoop.map.OutputPlacer;
import io.spillway.node.LocalSegmentSource;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.MapOutputPlaces;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.held.HeapAccount;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.held.OverflowStore;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.transport.tcp.TcpTransportProvider;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Maps whose outputs go to a memory node, the node of their host, which sends reducers on, and a
 * reducer; all over tcp.
 */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class RemoteOutputsTest {
    private static final int MAPS = 6;
    private static final String SPILLWAY = "io.spillway.hadoop.SpillwayShuffle";
    private static final String JOB = ReduceFixture.JOB.toString();

    private final TcpTransportProvider tcp = new TcpTransportProvider();
    private final JobSecrets secrets =
            job -> job.equals(JOB) ? ReduceFixture.SECRET.getEncoded() : null;
    private final JobCredentials credentials =
            new JobCredentials(JOB, ReduceFixture.SECRET.getEncoded());

    @TempDir private Path mapHost;
    @TempDir private Path reduceHost;
    @TempDir private Path ssd;

    private MemorySegments memory;
    private LocalSegmentSource local;
    private SegmentServer memoryNode;
    private SegmentServer mapNode;

    @BeforeEach
    void start() throws IOException {
        memory = new MemorySegments(64L << 20, 4096, secrets, DirectMemory.SYSTEM);
        local =
                new LocalSegmentSource(
                        new MapReduceLayout(),
                        this::locate,
                        List.of(),
                        job -> "user",
                        Map.<String, String>of()::get);
        memoryNode = memoryServer();
        mapNode = server(local);
    }

    private SegmentServer memoryServer() throws IOException {
        return tcp.newServer("127.0.0.1", 0, memory, ofMemoryNode(), name -> null, 5);
    }

    /** Knows nothing of the job but its own key. */
    private JobSecrets ofMemoryNode() {
        return job ->
                secrets.secretOf(job) == null
                        ? null
                        : JobCredentials.nodeKey(secrets.secretOf(job), memoryNode.address());
    }

    private SegmentServer server(final SegmentSource source) throws IOException {
        return tcp.newServer("127.0.0.1", 0, source, secrets, name -> null, 5);
    }

    @AfterEach
    void stop() {
        mapNode.close();
        memoryNode.close();
        local.close();
    }

    private File locate(final String path) throws FileNotFoundException {
        final Path file = mapHost.resolve(path);
        if (!Files.exists(file)) {
            throw new FileNotFoundException(path);
        }
        return file.toFile();
    }

    /** Connects to the memory node for each output; a task of its own ends the transport. */
    private final class AtMemoryNode implements OutputPlacer {
        private final TcpTransport transport = new TcpTransport(name -> null);

        @Override
        public Optional<RemoteOutput> place(final String output, final long expectedBytes) {
            try {
                return Optional.of(
                        new RemoteOutput(
                                output,
                                List.of(
                                        transport.open(
                                                memoryNode.address(),
                                                credentials.forNode(memoryNode.address()))),
                                node -> transport.open(node, credentials.forNode(node))));
            } catch (final FetchException e) {
                throw new UncheckedIOException(e);
            }
        }

        @Override
        public void close() {
            transport.close();
        }
    }

    /** Runs a map and puts its files where a task of YARN writes them. */
    private List<TestSegment.Entry> map(
            final MapFixture job, final int map, final int records, final OutputPlacer placer)
            throws Exception {
        final List<TestSegment.Entry> mine = new ArrayList<>();
        final Random random = new Random(map);
        final MapCollector<Text, Text> collector =
                MapCollector.open(job.context(map, () -> {}), placer);
        try (collector) {
            for (int i = 0; i < records; i++) {
                final String key = "key" + random.nextInt(2000);
                final String value = "value " + i + " of " + map + "x".repeat(random.nextInt(60));
                final int partition = Math.floorMod(key.hashCode(), ReduceFixture.PARTITION + 1);
                collector.collect(new Text(key), new Text(value), partition);
                if (partition == ReduceFixture.PARTITION) {
                    mine.add(new TestSegment.Entry(key, (char) value.length() + value));
                }
            }
            collector.flush();
        }
        final Path folder = job.lastOutput().getParent();
        final Path target =
                Files.createDirectory(folder.resolve(ReduceFixture.map(map, 0).toString()));
        try (Stream<Path> files = Files.list(folder)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                Files.move(file, target.resolve(file.getFileName()));
            }
        }
        return mine;
    }

    /** Spills that no map has merged. */
    @Test
    void reducersFetchTheRunsOfOutputsAtTheMemoryNode() throws Exception {
        final ReduceFixture reducer =
                new ReduceFixture(MAPS, reduceHost).set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, SPILLWAY);
        final List<TestSegment> expected = runMaps(40_000, reducer);

        assertThat(memory.outputsOf(JOB)).isEqualTo(MAPS);
        final SegmentId first = new SegmentId(ReduceFixture.map(0, 0).toString(), 0);
        try (ServedSegment segment = memory.open(JOB, first)) {
            assertThat(segment.runs()).isGreaterThan(1);
        }
        requireMerged(reducer, expected);
    }

    /** With room for all outputs, for some, or for none. */
    @ParameterizedTest
    @CsvSource({"300, 67108864, 6", "12000, 67108864, 6", "12000, 1500000, 2", "300, 10000, 0"})
    void reducersFollowToTheMemoryNode(
            final int records, final long capacity, final int outputsThere) throws Exception {
        memoryNode.close();
        memory = new MemorySegments(capacity, 4096, secrets, DirectMemory.SYSTEM);
        memoryNode = memoryServer();
        final ReduceFixture reducer = new ReduceFixture(MAPS, reduceHost);
        final List<TestSegment> expected = runMaps(records, reducer);

        assertThat(memory.outputsOf(JOB)).isEqualTo(outputsThere);
        assertThat(files(MapOutputPlaces.FILE)).isEqualTo(outputsThere);
        assertThat(files("file.out.index")).isEqualTo(MAPS - outputsThere);
        requireMerged(reducer, expected);
        assertThat(memoryNode.stats().bytes() > 0).isEqualTo(outputsThere > 0);
    }

    private static void requireMerged(final ReduceFixture reducer, final List<TestSegment> expected)
            throws Exception {
        try (TcpTransport transport = new TcpTransport(name -> null)) {
            assertThat(reducer.readAll(transport)).isEqualTo(TestSegment.merged(expected));
        }
        assertThat(reducer.count(TaskCounter.SHUFFLED_MAPS)).isEqualTo(MAPS);
        assertThat(reducer.count(TaskCounter.FAILED_SHUFFLE)).isZero();
    }

    /** All maps put to the memory node; their segments of the reducer's partition. */
    private List<TestSegment> runMaps(final int records, final ReduceFixture reducer)
            throws Exception {
        final MapFixture job = new MapFixture(mapHost, ReduceFixture.PARTITION + 1);
        job.conf.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
        job.conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, SPILLWAY);
        job.conf.setInt(MRJobConfig.IO_SORT_MB, 1);
        final List<TestSegment> expected = new ArrayList<>();
        for (int map = 0; map < MAPS; map++) {
            expected.add(TestSegment.of(map(job, map, records, new AtMemoryNode()), null));
            reducer.succeeded(ReduceFixture.map(map, 0), mapNode.address());
        }
        return expected;
    }

    /** Memory for a part of them; what is damaged in a file costs that map's output, no more. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void reducersReadWhatLiesInFilesOfTheMemoryNode(final boolean damaged) throws Exception {
        memoryNode.close();
        final OverflowStore files = OverflowStore.in(ssd, OptionalLong.of(64L << 20));
        memory =
                new MemorySegments(
                        3_000_000,
                        4096,
                        secrets,
                        DirectMemory.SYSTEM,
                        HeapAccount.ofThisProcess(),
                        Long.MAX_VALUE,
                        (jobId, output, bytes) -> {},
                        files);
        memoryNode = memoryServer();
        try (files) {
            final ReduceFixture reducer = new ReduceFixture(MAPS, reduceHost);
            final List<TestSegment> expected = runMaps(12_000, reducer);
            assertThat(memory.outputsOf(JOB)).isEqualTo(MAPS);
            assertThat(memory.overflowUsed()).isGreaterThan(1_000_000);
            if (!damaged) {
                requireMerged(reducer, expected);
                return;
            }
            damage();
            try (TcpTransport transport = new TcpTransport(name -> null)) {
                assertThatThrownBy(() -> reducer.readAll(transport))
                        .isInstanceOf(IOException.class);
            }
            assertThat(reducer.count(TaskCounter.FAILED_SHUFFLE)).isPositive();
        }
    }

    /** Turns bits of every page of the file without a name, as a broken disk does. */
    private void damage() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            for (final Path descriptor : all.toList()) {
                if (isInFiles(descriptor)) {
                    damage(descriptor);
                }
            }
        }
    }

    private boolean isInFiles(final Path descriptor) throws IOException {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(ssd.toRealPath());
        } catch (final NoSuchFileException e) {
            return false; // the one that lists them
        }
    }

    private static void damage(final Path descriptor) throws IOException {
        try (FileChannel file =
                FileChannel.open(descriptor, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer one = ByteBuffer.allocate(1);
            for (long at = 0; at < file.size(); at += 4096) {
                file.read(one.clear(), at);
                one.put(0, (byte) ~one.get(0));
                file.write(one.flip(), at);
            }
        }
    }

    private long files(final String name) throws IOException {
        try (Stream<Path> files = Files.walk(mapHost)) {
            return files.filter(file -> file.endsWith(name)).count();
        }
    }
}
