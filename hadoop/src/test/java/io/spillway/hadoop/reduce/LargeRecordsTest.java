// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.report.ShuffleCounter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Records around and beyond the size of a chunk, and keys beyond all memory: the whole shuffle. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LargeRecordsTest {
    private static final int WINDOW = 1024;

    @TempDir Path localDir;

    private static TestSegment segment(
            final Random random,
            final int records,
            final int key,
            final int value,
            final ReduceFixture task)
            throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < records; i++) {
            entries.add(
                    new TestSegment.Entry(
                            "key" + random.nextInt(30) + "k".repeat(length(random, key)),
                            i + "v".repeat(length(random, value))));
        }
        return TestSegment.of(entries, task.codec);
    }

    /** Small, any, or such that records begin and end about where chunks do. */
    private static int length(final Random random, final int most) {
        return switch (random.nextInt(4)) {
            case 0 -> random.nextInt(most + 1);
            case 1 -> Math.min(most, WINDOW - 20 + random.nextInt(40));
            default -> random.nextInt(Math.min(most, 10) + 1);
        };
    }

    private static void compress(final ReduceFixture task) {
        final DefaultCodec codec = new DefaultCodec();
        codec.setConf(task.conf);
        task.codec = codec;
    }

    /** Serves and announces segments, and gives what the reducer reads. */
    private static List<TestSegment.Entry> reduce(
            final ReduceFixture task, final List<TestSegment> segments)
            throws IOException, InterruptedException {
        final MemoryTransport transport = new MemoryTransport(5);
        for (int map = 0; map < segments.size(); map++) {
            final String attempt = ReduceFixture.map(map, 0).toString();
            transport.put(ReduceFixture.node(map % 2), attempt, segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % 2));
        }
        return task.readAll(transport);
    }

    private static long figure(final ReduceFixture task, final ShuffleCounter figure) {
        return task.figure(figure);
    }

    @Property(tries = 60)
    void mergesRecordsOfAnySizeWithAnyBudget(
            @ForAll @IntRange(min = 1, max = 16) final int maps,
            @ForAll @IntRange(max = 12) final int records,
            @ForAll @IntRange(max = 6000) final int key,
            @ForAll @IntRange(max = 9000) final int value,
            @ForAll @IntRange(min = 2, max = 12) final int windowsPerMap,
            @ForAll final boolean compressed,
            @ForAll final boolean byDemand,
            @ForAll final long seed)
            throws Exception {
        final Path folder = Files.createTempDirectory("spillway-large");
        final ReduceFixture task = new ReduceFixture(maps, folder).minimalBuffer(WINDOW);
        final long budget = (long) maps * WINDOW * windowsPerMap;
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), Long.toString(budget));
        task.set(EngineKeys.SHUFFLE_WINDOW_MAX.name(), Integer.toString(4 * WINDOW));
        task.set(EngineKeys.SHUFFLE_WINDOWS.name(), byDemand ? "demand" : "static");
        if (compressed) {
            compress(task);
        }
        final Random random = new Random(seed);
        final List<TestSegment> segments = new ArrayList<>();
        for (int map = 0; map < maps; map++) {
            segments.add(segment(random, random.nextInt(records + 1), key, value, task));
        }

        assertThat(reduce(task, segments)).isEqualTo(TestSegment.merged(segments));

        assertThat(filesIn(folder)).isEmpty();
        try (Stream<Path> all = Files.walk(folder)) {
            for (final Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    private static List<Path> filesIn(final Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    /** A value is fetched when it is its turn; until then its stream keeps to its window. */
    @Test
    void valuesTakeNothingBeforeTheirTurn() throws Exception {
        final int maps = 64;
        final ReduceFixture task = new ReduceFixture(maps, localDir);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "2m");
        final List<TestSegment> segments = new ArrayList<>();
        for (int map = 0; map < maps; map++) {
            final List<TestSegment.Entry> entries = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                entries.add(new TestSegment.Entry("key" + i * map, "v".repeat(100_000)));
            }
            segments.add(TestSegment.of(entries, null));
        }

        assertThat(reduce(task, segments)).isEqualTo(TestSegment.merged(segments));

        assertThat(figure(task, ShuffleCounter.MERGE_DISK_BYTES)).isZero();
        assertThat(figure(task, ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(2 << 20));
    }

    @Test
    void keysWithoutRoomAreMergedInLevelsOnLocalDisk() throws Exception {
        final int maps = 64;
        final ReduceFixture task = new ReduceFixture(maps, localDir);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "16m");
        task.set(HadoopKeys.SPILL_TIERS.name(), "disk");
        final List<TestSegment> segments = new ArrayList<>();
        long bytes = 0;
        for (int map = 0; map < maps; map++) {
            final List<TestSegment.Entry> entries = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                entries.add(new TestSegment.Entry(i + "k".repeat(100_000), map + "-" + i));
            }
            segments.add(TestSegment.of(entries, null));
            bytes += segments.get(map).bytes().length;
        }

        assertThat(reduce(task, segments)).isEqualTo(TestSegment.merged(segments));

        assertThat(figure(task, ShuffleCounter.MERGE_DISK_BYTES)).isBetween(bytes / 2, 6 * bytes);
        assertThat(figure(task, ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(16 << 20));
        assertThat(filesIn(localDir)).isEmpty();
    }
}
