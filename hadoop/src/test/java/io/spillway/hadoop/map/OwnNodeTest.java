// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.hadoop.reduce.OwnNode;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.choice.OwnHost;
import io.spillway.wire.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a reducer reads of the outputs that maps have left on its own node. */
class OwnNodeTest {
    private static final long LIMIT = 64 << 20;
    private static final long EPOCH = 1_700_000_000_123L;
    private static final String MAP = "attempt_1700000000000_0001_m_000000_0";
    private static final TaskAttemptID REDUCER =
            TaskAttemptID.forName("attempt_1700000000000_0001_r_000000_0");

    @TempDir private Path directory;
    private Path local;
    private Path taskFolder;
    private FilePool folder;
    private MapFixture fixture;

    @BeforeEach
    void start() throws IOException {
        local = Files.createDirectories(directory.resolve("local"));
        taskFolder = local.resolve("usercache/user/appcache").resolve(MapFixture.APPLICATION);
        folder = FilePool.create(directory.resolve("user/memory-node"), LIMIT, Duration.ZERO);
        fixture = new MapFixture(local, 2).offer(folder, LIMIT);
    }

    @AfterEach
    void release() {
        folder.release();
    }

    private void advertise() throws IOException {
        TierAdvertisement.of(
                        Map.of("memory", new TierAdvertisement.Offer(folder.root(), LIMIT)),
                        FrameType.VERSIONS)
                .withEpoch(EPOCH)
                .writeTo(local);
    }

    /** Runs a map, and puts its output where YARN's tasks have theirs. */
    private void runMap() throws Exception {
        final MapOutputCollector<Text, Text> collector = fixture.collector(0, () -> {});
        for (int i = 0; i < 5000; i++) {
            collector.collect(new Text("key" + i), new Text("value" + i), i % 2);
        }
        collector.flush();
        collector.close();
        final Path output = Files.createDirectories(taskFolder.resolve("output").resolve(MAP));
        try (Stream<Path> files = Files.list(output.getParent())) {
            for (final Path file : files.filter(found -> !found.equals(output)).toList()) {
                Files.move(file, output.resolve(file.getFileName()));
            }
        }
    }

    private JobConf job() {
        final JobConf job = new JobConf(fixture.conf);
        job.setUser("user");
        job.set(MRConfig.LOCAL_DIR, taskFolder.toString());
        return job;
    }

    private OwnHost own() {
        final Optional<OwnHost> found = OwnNode.of(job(), REDUCER);
        return found.orElseThrow();
    }

    @Test
    void readsASegmentInMemoryOfItsOwnJob() throws Exception {
        advertise();
        runMap();
        final Path data = taskFolder.resolve("output").resolve(MAP).resolve("file.out");
        assertThat(data).isSymbolicLink();
        try (OwnHost own = own();
                ServedSegment second = open(own, 1);
                ServedSegment first = open(own, 0)) {
            assertThat(own.reads(first.tier())).isTrue();
            final ByteBuffer bytes = ByteBuffer.allocate((int) second.partLength());
            second.read(0, bytes);
            final int start = (int) first.partLength();
            assertThat(bytes.array())
                    .isEqualTo(
                            Arrays.copyOfRange(
                                    Files.readAllBytes(data), start, start + bytes.capacity()));
            assertThat(second.records()).isEqualTo(2500);
        }
    }

    private static ServedSegment open(final OwnHost own, final int partition)
            throws FetchException {
        return (ServedSegment)
                own.outputs().open(REDUCER.getJobID().toString(), new SegmentId(MAP, partition));
    }

    @Test
    void readsNothingOfAnotherJob() throws Exception {
        advertise();
        runMap();
        try (OwnHost own = own()) {
            assertThatThrownBy(
                            () ->
                                    own.outputs()
                                            .open(
                                                    "job_1700000000000_0002",
                                                    new SegmentId(
                                                            MAP.replace("0_0001", "0_0002"), 0)))
                    .isInstanceOf(FetchException.class);
            assertThatThrownBy(
                            () ->
                                    own.outputs()
                                            .open(
                                                    "job_1700000000000_0001",
                                                    new SegmentId(
                                                            MAP.replace("0_0001", "0_0002"), 0)))
                    .isInstanceOf(FetchException.class);
        }
    }

    /** The node reads ahead there for all reducers. */
    @Test
    void leavesDisksToTheNode() throws Exception {
        advertise();
        fixture.conf.set("spillway.output.tiers", "disk");
        runMap();
        try (OwnHost own = own();
                ServedSegment found = open(own, 0)) {
            assertThat(found.tier()).isEqualTo(Tiers.DISK);
            assertThat(own.reads(found.tier())).isFalse();
        }
    }

    @Test
    void knowsItsNodeByTheIncarnation() throws Exception {
        advertise();
        try (OwnHost own = own()) {
            assertThat(List.of(own.isNode(EPOCH), own.isNode(EPOCH + 1), own.isNode(0)))
                    .containsExactly(true, false, false);
            fixture.offer(folder, LIMIT);
            assertThat(List.of(own.isNode(EPOCH), own.isNode(0)))
                    .as("after a start of a release that does not say its incarnation")
                    .containsExactly(false, false);
        }
    }

    @Test
    void readsNothingWhereNoNodeHasLeftWord() throws Exception {
        Files.delete(local.resolve(TierAdvertisement.FILE));
        assertThat(OwnNode.of(job(), REDUCER)).isEmpty();
    }
}
