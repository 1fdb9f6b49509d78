// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.conf.Setting;
import io.spillway.engine.MemoryTransport;
import io.spillway.engine.TestSegment;
import io.spillway.engine.reduce.merge.LevelRuns;
import io.spillway.engine.reduce.merge.MergeFixture;
import io.spillway.engine.reduce.merge.RunCursors;
import io.spillway.engine.reduce.segment.SegmentChecksum;
import io.spillway.engine.settings.EngineKeys;
import io.spillway.engine.settings.ShuffleSettings;
import io.spillway.engine.spi.RunStores;
import io.spillway.hadoop.conf.HadoopKeys;
import io.spillway.hadoop.job.IntermediateEncryption;
import io.spillway.hadoop.tier.LevelStores;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.StreamRecordCursor;
import io.spillway.report.ShuffleCounter;
import io.spillway.sort.KeyOrder;
import io.spillway.sort.KeyOrders;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.TierAdvertisement;
import io.spillway.store.tier.StoreKeys;
import io.spillway.wire.FrameType;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.security.TokenCache;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs of a merge in levels: in the tiers that the node offers, and on local disk at last. */
@Timeout(value = 60, unit = TimeUnit.SECONDS, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LevelRunsTest {
    private static final String APPLICATION = "application_1700000000000_0001";
    private static final int MAPS = 64;
    private static final int KEY = 100_000;
    private static final long PLENTY = 1L << 30;

    @TempDir private Path dir;
    private Path local;
    private ReduceFixture task;
    private FilePool memory;
    private FilePool nvm;

    @BeforeEach
    void create() throws IOException {
        local = dir.resolve("local");
        final Path own = local.resolve("usercache/user/appcache").resolve(APPLICATION);
        Files.createDirectories(own);
        task = new ReduceFixture(MAPS, own);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "16m");
        task.set(HadoopKeys.SPILL_TIERS.name(), "memory,nvm,disk");
        task.set(StoreKeys.STORE_MEMORY_DIR.name(), Setting.NONE);
        task.set(StoreKeys.STORE_MEMORY_RESERVE.name(), "0");
    }

    @AfterEach
    void release() {
        memory.release();
        nvm.release();
    }

    /** What a node does for the tasks on its host. */
    private void offer(final long memoryLimit, final long nvmLimit) throws IOException {
        memory = FilePool.create(dir.resolve("u/memory"), memoryLimit, Duration.ZERO);
        nvm = FilePool.create(dir.resolve("u/nvm"), nvmLimit, Duration.ZERO);
        TierAdvertisement.of(
                        Map.of(
                                "memory", new TierAdvertisement.Offer(memory.root(), memoryLimit),
                                "nvm", new TierAdvertisement.Offer(nvm.root(), nvmLimit)),
                        FrameType.VERSIONS)
                .writeTo(local);
    }

    private static List<TestSegment> segments() throws IOException {
        final List<TestSegment> segments = new ArrayList<>();
        for (int map = 0; map < MAPS; map++) {
            final List<TestSegment.Entry> entries = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                entries.add(new TestSegment.Entry(i + "k".repeat(KEY), map + "-" + i));
            }
            segments.add(TestSegment.of(entries, null));
        }
        return segments;
    }

    private MemoryTransport serve(final List<TestSegment> segments) {
        final MemoryTransport transport = new MemoryTransport(5);
        for (int map = 0; map < MAPS; map++) {
            final String attempt = ReduceFixture.map(map, 0).toString();
            transport.put(ReduceFixture.node(map % 2), attempt, segments.get(map));
            task.succeeded(ReduceFixture.map(map, 0), ReduceFixture.node(map % 2));
        }
        return transport;
    }

    private void reducesAll() throws Exception {
        final List<TestSegment> segments = segments();
        assertThat(task.readAll(serve(segments))).isEqualTo(TestSegment.merged(segments));
        assertNothingLeft();
    }

    /** Ten of 64 decoders have room: the rest is merged in levels, and no reducer is stock's. */
    @Test
    void decodersThatHaveNoRoomAreMergedInLevels() throws Exception {
        offer(PLENTY, PLENTY);
        task.set(EngineKeys.SHUFFLE_BUFFER_BYTES.name(), "4m");
        task.codec = new DefaultCodec();
        ((DefaultCodec) task.codec).setConf(task.conf);
        task.heapBytes = 7 << 20;
        final Random random = new Random(4);
        final List<TestSegment> segments = new ArrayList<>();
        long rawBytes = 0;
        for (int map = 0; map < MAPS; map++) {
            segments.add(TestSegment.random(random, 200, 50, task.codec));
            rawBytes += segments.get(map).rawLength();
        }

        assertThat(task.readAll(serve(segments))).isEqualTo(TestSegment.merged(segments));

        // Each record is copied once at most.
        assertThat(task.figure(ShuffleCounter.MERGE_TIER_BYTES)).isBetween(rawBytes / 2, rawBytes);
        assertThat(task.figure(ShuffleCounter.MERGE_DISK_BYTES)).isZero();
        assertNothingLeft();
    }

    private void assertNothingLeft() throws IOException {
        assertThat(leased(memory)).isEmpty();
        assertThat(leased(nvm)).isEmpty();
        try (Stream<Path> all = Files.walk(local)) {
            assertThat(all.filter(Files::isRegularFile))
                    .containsExactly(local.resolve(TierAdvertisement.FILE));
        }
    }

    /** The files of attempts, their locks among them. */
    private static List<Path> leased(final FilePool folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder.root().resolve("apps"))) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void runsGoToTheNodesMemory() throws Exception {
        offer(PLENTY, PLENTY);

        reducesAll();

        assertThat(task.figure(ShuffleCounter.MERGE_TIER_BYTES)).isGreaterThan((long) MAPS * KEY);
        assertThat(task.figure(ShuffleCounter.MERGE_DISK_BYTES)).isZero();
        assertThat(memory.usedBytes()).as("files to use again").isPositive();
        assertThat(task.figure(ShuffleCounter.PEAK_BUFFER_BYTES))
                .isLessThanOrEqualTo(ReduceFixture.withHeads(16 << 20));
    }

    @Test
    void aRunWhoseTierIsFullGoesOnToTheNext() throws Exception {
        offer(1 << 20, PLENTY);

        reducesAll();

        assertThat(task.figure(ShuffleCounter.MERGE_TIER_BYTES)).isGreaterThan((long) MAPS * KEY);
        assertThat(task.figure(ShuffleCounter.MERGE_DISK_BYTES)).isZero();
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(1 << 20);
        assertThat(nvm.usedBytes()).isPositive();
    }

    @Test
    void theDiskTakesWhatTheTiersDoNot() throws Exception {
        offer(3 << 20, 0);

        reducesAll();

        assertThat(task.figure(ShuffleCounter.MERGE_DISK_BYTES)).isPositive();
        assertThat(
                        task.figure(ShuffleCounter.MERGE_TIER_BYTES)
                                + task.figure(ShuffleCounter.MERGE_DISK_BYTES))
                .isGreaterThan((long) MAPS * KEY);
    }

    @Test
    void theDiskTakesAllWhereTheJobHasNoOtherTier() throws Exception {
        offer(PLENTY, PLENTY);
        task.set(HadoopKeys.SPILL_TIERS.name(), "heap,disk");

        reducesAll();

        assertThat(task.figure(ShuffleCounter.MERGE_DISK_BYTES)).isGreaterThan((long) MAPS * KEY);
        assertThat(task.figure(ShuffleCounter.MERGE_TIER_BYTES)).isZero();
    }

    @Test
    void anAttemptThatIsGivenUpGivesItsFilesBack() throws Exception {
        offer(PLENTY, PLENTY);
        final ReduceShuffle shuffle = task.shuffle(serve(segments()));
        final RawKeyValueIterator merged = shuffle.run();

        for (int i = 0; i < MAPS + MAPS / 2; i++) {
            assertThat(merged.next()).isTrue();
        }
        assertThat(leased(memory)).as("the lock, and runs").hasSizeGreaterThan(1);
        shuffle.close();

        assertNothingLeft();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keysAreInTheFilesOfRunsOnlyWhereNothingIsEncrypted(final boolean encrypted)
            throws Exception {
        offer(PLENTY, PLENTY);
        final Credentials credentials = new Credentials();
        TokenCache.setEncryptedSpillKey(new byte[16], credentials);
        UserGroupInformation.getCurrentUser().addCredentials(credentials);
        task.set(MRJobConfig.MR_ENCRYPTED_INTERMEDIATE_DATA, String.valueOf(encrypted));
        final List<TestSegment> stored = new ArrayList<>();
        for (final TestSegment segment : segments()) {
            stored.add(segment.encrypted(null, IntermediateEncryption.of(task.conf)));
        }
        final ReduceShuffle shuffle = task.shuffle(serve(stored));
        final RawKeyValueIterator merged = shuffle.run();

        int records = 0;
        while (merged.next()) {
            records++;
            if (records == MAPS) {
                assertThat(leased(memory)).as("the lock, and runs").hasSizeGreaterThan(1);
                assertThat(leased(memory).stream().anyMatch(LevelRunsTest::hasKeys))
                        .isEqualTo(!encrypted);
            }
        }
        shuffle.finish();

        assertThat(records).isEqualTo(3 * MAPS);
        assertNothingLeft();
    }

    private static boolean hasKeys(final Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1).contains("k".repeat(100));
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As when the NodeManager stops and the next one reclaims what it has left. */
    @Test
    void aRunWhoseTierFailsWhileItIsWrittenMovesWithAllItsBytes() throws Exception {
        offer(PLENTY, 0);
        final KeyOrder order = KeyOrders.of(new Text.Comparator());
        final RunCursors cursors = new RunCursors(null, new HeadMemory(1 << 20, 2, 0));
        final ShuffleSettings settings = ShuffleChoice.of(task.context()).settings().shuffle;
        final TestSegment one = random(0);
        final TestSegment other = random(1);
        try (LevelRuns levels = levelRuns(settings, order, cursors)) {
            final RecordCursor merged =
                    levels.merge(
                            List.of(
                                    open(one, cursors, this::reclaim),
                                    open(other, cursors, () -> {})));

            assertThat(MergeFixture.read(merged))
                    .isEqualTo(TestSegment.merged(List.of(one, other)));
        }

        assertNothingLeft();
    }

    private LevelRuns levelRuns(
            final ShuffleSettings settings, final KeyOrder order, final RunCursors cursors)
            throws IOException {
        final RunStores stores =
                new LevelStores(task.context(), ShuffleChoice.of(task.context()).settings().stores);
        return new LevelRuns(stores, () -> {}, settings, order, cursors);
    }

    private void reclaim() throws IOException {
        assertThat(leased(memory)).as("the lock, and the run").hasSize(2);
        memory.reclaim(APPLICATION);
    }

    private static TestSegment random(final int number) throws IOException {
        final List<TestSegment.Entry> entries = new ArrayList<>();
        for (int i = 0; i < 4000; i++) {
            entries.add(new TestSegment.Entry("key" + i, number + "v".repeat(5000)));
        }
        return TestSegment.of(entries, null);
    }

    /** Something that happens in the middle of a run. */
    @FunctionalInterface
    private interface Event {
        void happen() throws IOException;
    }

    private static RecordCursor open(
            final TestSegment segment, final RunCursors cursors, final Event inTheMiddle) {
        final int content = segment.bytes().length - SegmentChecksum.LENGTH;
        final InputStream bytes = new ByteArrayInputStream(segment.bytes(), 0, content);
        final InputStream in =
                new FilterInputStream(bytes) {
                    private boolean happened;

                    @Override
                    public int read(final byte[] target, final int offset, final int length)
                            throws IOException {
                        if (!happened && available() < content / 2) {
                            happened = true;
                            inTheMiddle.happen();
                        }
                        return super.read(target, offset, length);
                    }
                };
        return new StreamRecordCursor(in, 10_000, cursors.records(), content, 0);
    }
}
