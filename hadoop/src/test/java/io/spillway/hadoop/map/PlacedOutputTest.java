// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.engine.map.remote.MemoryNode;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.hadoop.report.FigureCounters;
import io.spillway.report.ShuffleCounter;
import io.spillway.store.pool.FilePool;
import io.spillway.transport.MapOutputPlaces;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskStatus;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a map task leaves on its host when its output goes to other nodes. */
@Timeout(value = 120, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlacedOutputTest {
    private static final String ATTEMPT = "attempt_1700000000000_0001_m_000000_0";
    private static final int PARTITIONS = 5;
    private static final long ROOM = 64L << 20;

    private static final List<TaskCounter> COUNTERS =
            List.of(
                    TaskCounter.MAP_OUTPUT_RECORDS,
                    TaskCounter.MAP_OUTPUT_BYTES,
                    TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES,
                    TaskCounter.COMBINE_INPUT_RECORDS,
                    TaskCounter.COMBINE_OUTPUT_RECORDS,
                    TaskCounter.SPILLED_RECORDS);

    @TempDir Path root;

    private int jobs;

    /** Hadoop creates it. */
    public static final class Distinct extends Reducer<Text, Text, Text, Text> {
        @Override
        protected void reduce(final Text key, final Iterable<Text> values, final Context context)
                throws IOException, InterruptedException {
            context.write(key, values.iterator().next());
        }
    }

    /** What a map left: its files by their names, and its counters. */
    private record Left(Map<String, ByteBuffer> files, Map<TaskCounter, Long> counters) {}

    private final List<String> asked = new ArrayList<>();
    private TaskReporter reporter;
    private Path outputs;

    private MapFixture job() throws IOException {
        final Path local = Files.createDirectories(root.resolve("job" + jobs++));
        final MapFixture job = new MapFixture(local, PARTITIONS);
        job.conf.setInt(MRJobConfig.IO_SORT_MB, 1);
        job.conf.set("fs.permissions.umask-mode", "077");
        job.conf.set("io.serializations", "org.apache.hadoop.io.serializer.WritableSerialization");
        job.conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle");
        return job;
    }

    private MapFixture mergingJob(final boolean compresses) throws IOException {
        final MapFixture job = job();
        job.conf.setCompressMapOutput(compresses);
        job.conf.set("spillway.spill.merge", "always");
        return job;
    }

    private OutputPlacer placerAt(final MemoryNode... nodes) {
        return (output, expectedBytes) -> {
            asked.add(output);
            return Optional.of(
                    new RemoteOutput(
                            output,
                            Stream.of(nodes).map(MemoryNode::connect).toList(),
                            MemoryNode.connector(List.of(nodes))));
        };
    }

    private Left run(final MapFixture job, final int records, final OutputPlacer placer)
            throws Exception {
        final MapOutputCollector.Context context = job.context(0, () -> {});
        reporter = context.getReporter();
        final Random random = new Random(records);
        final MapCollector<Text, Text> collector = MapCollector.open(context, placer);
        try (collector) {
            for (int i = 0; i < records; i++) {
                final int key = random.nextInt(3000);
                collector.collect(new Text("key" + key), new Text("value" + i), key % PARTITIONS);
            }
            collector.flush();
        }
        outputs = job.lastOutput().getParent();
        final Map<String, ByteBuffer> files = new TreeMap<>();
        try (Stream<Path> all = Files.list(outputs)) {
            for (final Path file : all.toList()) {
                files.put(file.getFileName().toString(), ByteBuffer.wrap(Files.readAllBytes(file)));
            }
        }
        final Map<TaskCounter, Long> counters = new TreeMap<>();
        for (final TaskCounter counter : COUNTERS) {
            counters.put(counter, context.getReporter().getCounter(counter).getValue());
        }
        return new Left(files, counters);
    }

    private long figure(final ShuffleCounter figure) {
        return reporter.getCounter(FigureCounters.GROUP, FigureCounters.nameOf(figure)).getValue();
    }

    @ParameterizedTest
    @CsvSource({"0, false", "3000, false", "3000, true", "90000, false", "90000, true"})
    void leavesAnEmptyFileAndThePlaces(final int records, final boolean compresses)
            throws Exception {
        final Left local = run(mergingJob(compresses), records, OutputPlacer.HERE);
        try (MemoryNode first = new MemoryNode(1, ROOM);
                MemoryNode second = new MemoryNode(2, ROOM)) {
            final Left remote = run(mergingJob(compresses), records, placerAt(first, second));

            assertThat(asked).containsExactly(ATTEMPT);
            assertThat(remote.files).containsOnlyKeys("file.out", MapOutputPlaces.FILE);
            assertThat(remote.files.get("file.out").remaining()).isZero();
            assertThat(
                            MapOutputPlaces.readFrom(
                                            remote.files.get(MapOutputPlaces.FILE), "places")
                                    .places())
                    .extracting(place -> place.address())
                    .containsExactly(first.address(), second.address());
            assertThat(remote.counters).isEqualTo(local.counters);
            assertThat(figure(ShuffleCounter.OUTPUT_REMOTE_BYTES))
                    .isEqualTo(local.files.get("file.out").remaining());
            for (final String name : remote.files.keySet()) {
                assertThat(
                                PosixFilePermissions.toString(
                                        Files.getPosixFilePermissions(outputs.resolve(name))))
                        .isEqualTo("rw-r-----");
            }
            assertThat(first.openChannels()).isZero();
            requireSame(local.files.get("file.out"), first);
            requireSame(local.files.get("file.out"), second);
        }
    }

    @Test
    void spillsBecomeRunsAtTheNode() throws Exception {
        final int records = 90_000;
        try (MemoryNode node = new MemoryNode(1, ROOM)) {
            final Left remote = run(job(), records, placerAt(node));

            try (ServedSegment segment = node.open(ATTEMPT, 0)) {
                assertThat(segment.runs()).isGreaterThan(1);
            }
            assertThat(remote.files).containsOnlyKeys("file.out", MapOutputPlaces.FILE);
            // Each was sorted and sent once, and none was merged.
            assertThat(remote.counters).containsEntry(TaskCounter.SPILLED_RECORDS, (long) records);
            assertThat(figure(ShuffleCounter.MERGE_MILLIS)).isZero();
        }
    }

    /** A local file is its segments, one behind the other. */
    private static void requireSame(final ByteBuffer local, final MemoryNode node)
            throws Exception {
        final ByteBuffer remote = ByteBuffer.allocate(local.remaining());
        for (int partition = 0; partition < PARTITIONS; partition++) {
            remote.put(node.read(ATTEMPT, partition));
        }
        assertThat(remote.flip()).isEqualTo(local);
    }

    /** Stock's counters, and the combiner's, are those of an output that was written once. */
    @ParameterizedTest
    @CsvSource({"3000, false", "3000, true", "90000, false", "90000, true"})
    void whatANodeDoesNotTakeIsLeftHereAsEver(final int records, final boolean combines)
            throws Exception {
        final MapFixture alone = job();
        final MapFixture refused = job();
        for (final MapFixture job : List.of(alone, refused)) {
            job.conf.setInt(JobContext.MAP_COMBINE_MIN_SPILLS, 1);
            if (combines) {
                job.conf.setUseNewMapper(true);
                job.conf.setClass(MRJobConfig.COMBINE_CLASS_ATTR, Distinct.class, Reducer.class);
            }
        }
        final Left local = run(alone, records, OutputPlacer.HERE);
        try (MemoryNode node = new MemoryNode(1, 30_000)) {
            final Left remote = run(refused, records, placerAt(node));
            assertThat(asked).containsExactly(ATTEMPT);
            assertThat(node.bytesTaken()).isPositive();
            assertThat(remote).isEqualTo(local);
            assertThat(remote.counters.get(TaskCounter.COMBINE_INPUT_RECORDS) > 0)
                    .isEqualTo(combines);
            assertThat(figure(ShuffleCounter.PLACEMENT_FALLBACKS)).isOne();
            assertThat(figure(ShuffleCounter.OUTPUT_REMOTE_BYTES)).isZero();
            node.awaitUsed(0);
        }
    }

    /** There is no room, or a quota is against it. */
    @Test
    void whatGetsNoPlaceIsLeftHereAndCounted() throws Exception {
        final Left local = run(job(), 100, OutputPlacer.HERE);
        assertThat(figure(ShuffleCounter.PLACEMENT_REFUSED)).isZero();
        final OutputPlacer refusing =
                new OutputPlacer() {
                    @Override
                    public Optional<RemoteOutput> place(
                            final String output, final long expectedBytes) {
                        asked.add(output);
                        return Optional.empty();
                    }

                    @Override
                    public long refused() {
                        return asked.size();
                    }
                };
        assertThat(run(job(), 100, refusing)).isEqualTo(local);
        assertThat(asked).containsExactly(ATTEMPT);
        assertThat(figure(ShuffleCounter.PLACEMENT_REFUSED)).isOne();
        assertThat(figure(ShuffleCounter.PLACEMENT_FALLBACKS)).isZero();
    }

    /** Stock reads files only, and tasks in one process take them from each other. */
    @ParameterizedTest
    @CsvSource({
        MRConfig.SHUFFLE_CONSUMER_PLUGIN + ", org.apache.hadoop.mapreduce.task.reduce.Shuffle",
        MRConfig.FRAMEWORK_NAME + ", local",
        "mapreduce.task.uberized, true",
        "spillway.shuffle.enabled, false"
    })
    void staysHereWhereAReducerMayNeedAFile(final String name, final String value)
            throws Exception {
        final MapFixture job = job();
        job.conf.set(name, value);
        try (MemoryNode node = new MemoryNode(1, ROOM)) {
            final Left left = run(job, 100, placerAt(node));
            assertThat(asked).isEmpty();
            assertThat(left.files).containsKeys("file.out", "file.out.index");
        }
    }

    @Test
    void thePlacerIsClosedWithTheCollector() throws Exception {
        final List<String> closed = new ArrayList<>();
        final OutputPlacer placer =
                new OutputPlacer() {
                    @Override
                    public Optional<RemoteOutput> place(
                            final String output, final long expectedBytes) {
                        return Optional.empty();
                    }

                    @Override
                    public void close() {
                        closed.add("closed");
                    }
                };
        run(job(), 100, placer);
        assertThat(closed).containsExactly("closed");
    }

    /** What the node of the map's host offers as memory, on the disk of this test. */
    private MapFixture jobWithMemory(final String placement) throws IOException {
        final MapFixture job = job();
        job.conf.set("spillway.placement", placement);
        job.conf.set("spillway.store.memory.reserve", "0");
        return job;
    }

    @ParameterizedTest
    @CsvSource({
        "auto, 67108864, 3000, false",
        "auto, 67108864, 90000, false",
        "auto, 200000, 90000, true",
        "every-node, 67108864, 3000, true"
    })
    void autoSendsAwayWhatMemoryHereHasNoRoomFor(
            final String placement, final long limit, final int records, final boolean goesAway)
            throws Exception {
        final FilePool folder = FilePool.create(root.resolve("user/node"), limit, Duration.ZERO);
        try (MemoryNode node = new MemoryNode(1, ROOM)) {
            final MapFixture job = jobWithMemory(placement).offer(folder, limit);
            final Left left = run(job, records, placerAt(node));
            assertThat(asked).hasSize(goesAway ? 1 : 0);
            assertThat(left.files.containsKey(MapOutputPlaces.FILE)).isEqualTo(goesAway);
            assertThat(figure(ShuffleCounter.OUTPUT_REMOTE_BYTES) > 0).isEqualTo(goesAway);
            assertThat(figure(ShuffleCounter.OUTPUT_MEMORY_BYTES) > 0).isEqualTo(!goesAway);
        } finally {
            folder.release();
        }
    }

    /** Its tiers have no memory, or its node has none. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void autoSendsAwayWhatWouldGoToDisk(final boolean offersMemory) throws Exception {
        final FilePool folder = FilePool.create(root.resolve("user/node"), ROOM, Duration.ZERO);
        try (MemoryNode node = new MemoryNode(1, ROOM)) {
            final MapFixture job = jobWithMemory("auto");
            if (offersMemory) {
                job.offer(folder, ROOM).conf.set("spillway.output.tiers", "disk");
            }
            final Left left = run(job, 3000, placerAt(node));
            assertThat(left.files).containsKey(MapOutputPlaces.FILE);
        } finally {
            folder.release();
        }
    }

    @Test
    void ramdiskKeepsOutputsInMemoryHereWhateverTheTiersAre() throws Exception {
        final FilePool folder = FilePool.create(root.resolve("user/node"), ROOM, Duration.ZERO);
        try {
            final MapFixture job = jobWithMemory("ramdisk").offer(folder, ROOM);
            job.conf.set("spillway.mode", "rdma");
            job.conf.set("spillway.output.tiers", "disk");
            job.conf.set("spillway.spill.tiers", "disk");
            run(job, 90_000, OutputPlacer.HERE);
            assertThat(figure(ShuffleCounter.SPILL_MEMORY_BYTES)).isPositive();
            assertThat(figure(ShuffleCounter.SPILL_DISK_BYTES)).isZero();
            assertThat(figure(ShuffleCounter.OUTPUT_MEMORY_BYTES)).isPositive();
            assertThat(figure(ShuffleCounter.OUTPUT_DISK_BYTES)).isZero();
        } finally {
            folder.release();
        }
    }

    /** Hadoop flushes the output of a mapper that has thrown, too. */
    @Test
    void asksForNoPlaceForAMapperThatThrew() throws Exception {
        try (MemoryNode node = new MemoryNode(1, ROOM)) {
            final MapFixture job = job().phase(TaskStatus.Phase.MAP);
            final OutputPlacer placer = placerAt(node);
            assertThatThrownBy(() -> run(job, 3000, placer))
                    .hasRootCauseMessage("The mapper has not returned");
            assertThat(asked).isEmpty();
            assertThat(job.lastOutput()).doesNotExist();
        }
    }
}
