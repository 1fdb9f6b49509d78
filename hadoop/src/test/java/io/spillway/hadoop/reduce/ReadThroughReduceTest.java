// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.TestSegment;
import io.spillway.hadoop.job.ReducerTransport;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.shared.SharedOutputTail;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.report.ShuffleCounter;
import io.spillway.transport.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A reducer of a job whose maps have left their outputs on a shared file system. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ReadThroughReduceTest {
    private static final int MAPS = 40;
    private static final String JOB = ReduceFixture.JOB.toString();

    @TempDir private Path localDir;
    @TempDir private Path shared;

    private final Random random = new Random(11);
    private final List<TestSegment> segments = new ArrayList<>();
    private final FileNode node = new FileNode();
    private ReduceFixture task;

    @BeforeEach
    void makeOutputs() throws IOException {
        task = new ReduceFixture(MAPS, localDir);
        task.set("spillway.output.tiers", "lustre,disk");
        task.set("spillway.store.lustre.dir", shared.toString());
        final SharedOutputs places = new SharedOutputs(shared);
        final Path folder = places.host(JOB, node.address().host());
        Files.createDirectories(
                folder,
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        for (int map = 0; map < MAPS; map++) {
            final TestSegment segment = TestSegment.random(random, 2000, 60, null);
            final String attempt = ReduceFixture.map(map, 0).toString();
            segments.add(segment);
            node.put(localDir, attempt, segment);
            leave(place(map), attempt, segment);
            task.succeeded(ReduceFixture.map(map, 0), node.address());
        }
    }

    private Path place(final int map) {
        return new SharedOutputs(shared)
                .output(JOB, node.address().host(), ReduceFixture.map(map, 0).toString());
    }

    private static void leave(final Path file, final String output, final TestSegment segment)
            throws IOException {
        final int length = segment.bytes().length;
        final MapOutputIndex index = new MapOutputIndex(ReduceFixture.PARTITION + 1);
        index.put(ReduceFixture.PARTITION, new IndexEntry(0, segment.rawLength(), length));
        final SharedOutputTail tail =
                new SharedOutputTail(
                        output, length, index, null, RecordCounts.of(0, 0, 0, segment.count()));
        Files.write(file, segment.bytes());
        Files.write(file, tail.encoded(), StandardOpenOption.APPEND);
    }

    @AfterEach
    void stop() {
        node.close();
    }

    private Transport transport() {
        return ReducerTransport.of(
                task.reduceId,
                Optional.empty(),
                List.of(),
                Optional.empty(),
                task.conf::getTrimmed);
    }

    private void assertNothingWasBlamedOnMaps() {
        assertThat(task.count(TaskCounter.FAILED_SHUFFLE)).isZero();
        assertThat(task.reported()).isEmpty();
    }

    @Test
    void readsThroughTheSharedFileSystem() throws Exception {
        task.set("spillway.transport", "sharedfs");

        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.FETCH_SHAREDFS_BYTES))
                .isPositive()
                .isEqualTo(task.figure(ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertThat(task.figure(ShuffleCounter.FETCH_SHAREDFS_OPENS))
                .isBetween(40L, MAPS * 12 / 10L);
        assertNothingWasBlamedOnMaps();
    }

    @Test
    void readsOnlyWhatLiesThereAndIsWhole() throws Exception {
        task.set("spillway.transport", "sharedfs");
        Files.delete(place(3));
        leave(place(4), ReduceFixture.map(4, 1).toString(), segments.get(5));
        Files.write(place(5), new byte[1000]);

        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.FETCH_SHAREDFS_BYTES))
                .isPositive()
                .isLessThan(task.figure(ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertNothingWasBlamedOnMaps();
    }

    @Test
    void trustsNoFolderThatOthersCanWriteTo() throws Exception {
        task.set("spillway.transport", "sharedfs");
        Files.setPosixFilePermissions(
                new SharedOutputs(shared).job(JOB), PosixFilePermissions.fromString("rwxrwxrwx"));

        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.FETCH_SHAREDFS_BYTES)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "sharedfs", "tcp"})
    void noMapIsBlamedWhenItsNodeIsGone(final String wanted) throws Exception {
        task.set("spillway.transport", wanted);
        node.close();

        assertThat(task.readAll(transport())).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.FETCH_SHAREDFS_BYTES))
                .isPositive()
                .isEqualTo(task.figure(ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertNothingWasBlamedOnMaps();
    }

    @Test
    void goesOnWhereTheOutputsLieWhenTheNodeDiesWhileMerging() throws Exception {
        task.set("spillway.transport", "tcp");
        task.set("spillway.shuffle.buffer.bytes", "1m");
        final ReduceShuffle shuffle = task.shuffle(transport());
        final RawKeyValueIterator iterator = shuffle.run();
        final List<TestSegment.Entry> read = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            assertThat(iterator.next()).isTrue();
            read.add(IteratedRecords.entry(iterator));
        }
        node.close();
        read.addAll(IteratedRecords.readAll(iterator));
        shuffle.close();

        assertThat(read).isEqualTo(TestSegment.merged(segments));
        assertThat(task.figure(ShuffleCounter.FETCH_SHAREDFS_BYTES))
                .isPositive()
                .isLessThan(task.figure(ShuffleCounter.FETCH_SPILLWAY_BYTES));
        assertNothingWasBlamedOnMaps();
    }
}
