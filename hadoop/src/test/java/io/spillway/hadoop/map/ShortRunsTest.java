// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.MapOutputRuns;
import io.spillway.store.pool.FilePool;
import io.spillway.version.VersionRange;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

/** A large sort buffer is filled only where longer runs save a merge. */
class ShortRunsTest {
    private static final int MIB = 1 << 20;
    private static final long LIMIT = 1L << 30;

    @TempDir private Path local;

    @TempDir(factory = SharedMemory.class)
    private Path memory;

    private FilePool folder;
    private MapFixture fixture;

    /** A memory tier is on tmpfs. */
    static final class SharedMemory implements TempDirFactory {
        @Override
        public Path createTempDirectory(
                final AnnotatedElementContext element, final ExtensionContext context)
                throws IOException {
            return Files.createTempDirectory(Path.of("/dev/shm"), "spillway-test-");
        }
    }

    @BeforeEach
    void create() throws IOException {
        folder = FilePool.create(memory.resolve("user/node"), LIMIT, Duration.ZERO);
        fixture = new MapFixture(local, 1);
        fixture.conf.setInt("mapreduce.task.io.sort.mb", 300);
        fixture.conf.setNumMapTasks(64); // four runs a map
        fixture.conf.set(MRConfig.SHUFFLE_CONSUMER_PLUGIN, "io.spillway.hadoop.SpillwayShuffle");
    }

    @AfterEach
    void release() {
        folder.release();
    }

    /** Runs a map with an output of so many records of a MiB; gives the lengths of its files. */
    private List<Long> lengths(final int records) throws Exception {
        final MapOutputCollector<Text, Text> collector = fixture.collector(0, () -> {});
        final Random random = new Random(3);
        final Text value = new Text(new byte[MIB - 100]);
        for (int i = 0; i < records; i++) {
            collector.collect(new Text("key" + random.nextInt()), value, 0);
        }
        collector.flush();
        collector.close();
        try (Stream<Path> files = Files.walk(local)) {
            return files.filter(ShortRunsTest::isData)
                    .sorted()
                    .map(ShortRunsTest::mebibytes)
                    .toList();
        }
    }

    private static boolean isData(final Path file) {
        final String name = file.getFileName().toString();
        return Files.isSymbolicLink(file) || "file.out".equals(name);
    }

    private static long mebibytes(final Path file) {
        return file.toFile().length() / MIB;
    }

    @Test
    void leavesRunsThatFitTheCachesAndNeedLittleHeap() throws Exception {
        fixture.offer(folder, LIMIT);
        assertThat(lengths(180)).containsExactly(0L, 99L, 79L);
        assertThat(runs()).isEqualTo(2);
    }

    /** Half of the runs that a map may leave keep the whole buffer: a long output needs them. */
    @Test
    void fillsTheWholeBufferOnceHalfOfTheRunsAreShort() throws Exception {
        fixture.offer(folder, LIMIT);
        assertThat(lengths(480)).containsExactly(0L, 99L, 99L, 279L);
        assertThat(runs()).isEqualTo(3);
    }

    /** On disk runs would have to be merged. */
    @Test
    void fillsTheWholeBufferWhereTheNodeOffersNoMemory() throws Exception {
        assertThat(lengths(180)).containsExactly(179L);
    }

    /**
     * Reducers could not fetch runs from it: they would use stock HTTP, which has no form for them.
     */
    @Test
    void leavesOneFileOnDiskWhereTheNodeSpeaksOtherVersions() throws Exception {
        fixture.offer(folder, LIMIT, new VersionRange(90, 91));
        assertThat(lengths(180)).containsExactly(179L);
    }

    @Test
    void leavesRunsWhereTheNodeIsOfTheFormerRelease() throws Exception {
        fixture.offer(folder, LIMIT, VersionRange.only(FrameType.VERSIONS.oldest()));
        assertThat(lengths(180)).containsExactly(0L, 99L, 79L);
    }

    private int runs() throws IOException {
        try (Stream<Path> files = Files.walk(local)) {
            final Path file =
                    files.filter(path -> path.endsWith(MapOutputRuns.FILE))
                            .findFirst()
                            .orElseThrow();
            final ByteBuffer encoded = ByteBuffer.wrap(Files.readAllBytes(file));
            return MapOutputRuns.readFrom(encoded, file.toString()).count();
        }
    }
}
