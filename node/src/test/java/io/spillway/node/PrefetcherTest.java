// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static io.spillway.node.TestOutputs.JOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.MapOutputRuns;
import io.spillway.node.prefetch.BlockPool;
import io.spillway.node.prefetch.PrefetchStats;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PrefetcherTest {
    private static final int BLOCK = 1000;

    private BlockPool memory;
    private TestOutputs outputs;

    @TempDir private Path localDir;

    @AfterEach
    void close() {
        if (outputs != null) {
            outputs.close();
            outputs.awaitIdle();
            assertThat(memory.usedBytes()).isZero();
        }
    }

    private void start(final int blocks) {
        memory = new BlockPool((long) blocks * BLOCK, BLOCK);
        outputs = new TestOutputs(localDir, memory);
    }

    // ---- what is read ahead --------------------------------------------------------------------

    @Test
    void readsOnInASegmentThatIsStreamed() throws IOException {
        start(8);
        outputs.write(0, 20_000);
        assertThat(outputs.fetch(0, 0, 0, 500)).isFalse();
        for (int offset = 500; offset < 20_000; offset += 500) {
            outputs.awaitIdle();
            assertThat(outputs.fetch(0, 0, offset, 500)).as("offset %s", offset).isTrue();
        }
        assertThat(outputs.stats().hits()).isEqualTo(39);
        assertThat(outputs.stats().misses()).isOne();
        assertThat(outputs.stats().evictedUnreadBytes()).isZero();
        assertThat(outputs.source().prefetcher().blockCount()).isZero();
    }

    @Test
    void readsTheOtherSegmentsOfAMapOutputForTheOtherReducers() throws IOException {
        start(100);
        outputs.write(0, 3000, 700, 0, 2500, 60, 900);
        outputs.fetch(0, 3, 0, 2500);
        outputs.awaitIdle();
        assertThat(outputs.fetch(0, 0, 0, 1000)).isTrue();
        assertThat(outputs.fetch(0, 1, 0, 700)).isTrue();
        assertThat(outputs.fetch(0, 5, 10, 890)).isTrue();
        assertThat(outputs.fetch(0, 4, 0, 60)).isTrue();
    }

    @Test
    void readsTheOtherMapOutputsForAReducerThatRuns() throws IOException {
        start(100);
        for (int map = 0; map < 5; map++) {
            outputs.write(map, 900, 900);
        }
        assertThat(outputs.fetch(0, 1, 0, 900)).isFalse();
        outputs.awaitIdle();
        for (int map = 1; map < 5; map++) {
            assertThat(outputs.fetch(map, 1, 0, 900)).isTrue();
        }
        outputs.write(5, 900, 900);
        outputs.source().taskEnded(JOB);
        outputs.awaitIdle();
        assertThat(outputs.fetch(5, 1, 0, 900)).isTrue();
    }

    /** Its reducers may forbid it, or there may be none for long. */
    @Test
    void readsNothingBeforeAReducerHasCome() throws IOException {
        start(100);
        outputs.write(0, 900, 900);
        outputs.source().taskEnded(JOB);
        try (ServedSegment segment =
                TestOutputs.open(outputs.source(), JOB, new SegmentId(TestOutputs.attempt(0), 0))) {
            assertThat(segment.partLength()).isEqualTo(900);
        }
        outputs.awaitIdle();
        assertThat(outputs.stats()).isEqualTo(new PrefetchStats(0, 0, 0, 0, 0));
        assertThat(memory.allocatedBytes()).isZero();
    }

    @Test
    void skipsMapOutputsThatAreNotFinished() throws IOException {
        start(100);
        outputs.write(0, 900);
        outputs.write(1, 900);
        final Path index = outputs.directory(1).resolve(ToyLayout.INDEX);
        final byte[] whole = Files.readAllBytes(index);
        Files.write(index, new byte[10]);
        outputs.fetch(0, 0, 0, 900);
        outputs.awaitIdle();
        assertThat(outputs.source().prefetcher().fileCount()).isOne();
        Files.write(index, whole);
        outputs.source().taskEnded(JOB);
        outputs.awaitIdle();
        assertThat(outputs.fetch(1, 0, 0, 900)).isTrue();
    }

    // ---- what is not ---------------------------------------------------------------------------

    @Test
    void servesWhatLiesInAStoreInPlace() throws IOException {
        start(100);
        outputs.write(0, 900, 900);
        outputs.write(1, 900, 900);
        final Path attempt = outputs.data(0).getParent().getFileName();
        final Path store =
                Files.createDirectories(
                        localDir.resolve("store/apps/application").resolve(attempt));
        final Path kept = Files.move(outputs.data(0), store.resolve("output.data"));
        Files.createSymbolicLink(outputs.data(0), kept);
        outputs.fetch(1, 0, 0, 900);
        for (int i = 0; i < 3; i++) {
            outputs.awaitIdle();
            assertThat(outputs.fetch(0, 1, 0, 900)).isFalse();
        }
        assertThat(outputs.stats().misses()).isOne();
        assertThat(outputs.source().prefetcher().fileCount()).isOne();
    }

    @Test
    void servesRunsInPlace() throws IOException {
        start(100);
        outputs.write(0, 900);
        Files.move(outputs.data(0), outputs.directory(0).resolve(MapOutputRuns.dataFile(0)));
        Files.move(
                outputs.directory(0).resolve(ToyLayout.INDEX),
                outputs.directory(0).resolve(MapOutputRuns.indexFile(0)));
        try (OutputStream out =
                Files.newOutputStream(outputs.directory(0).resolve(MapOutputRuns.FILE))) {
            new MapOutputRuns(1).writeTo(out);
        }
        assertThat(outputs.fetch(0, 0, 0, 100)).isFalse();
        outputs.awaitIdle();
        assertThat(outputs.fetch(0, 0, 100, 100)).isFalse();
        assertThat(outputs.stats()).isEqualTo(new PrefetchStats(0, 0, 0, 0, 0));
    }

    @Test
    void doesNothingWithoutMemory() throws IOException {
        for (final int blocks : List.of(0, 4)) {
            memory =
                    new BlockPool(
                            (long) blocks * BLOCK,
                            BLOCK,
                            size -> {
                                throw new OutOfMemoryError("none left");
                            });
            try (TestOutputs poor = new TestOutputs(localDir, memory)) {
                poor.write(0, 5000);
                for (int offset = 0; offset < 5000; offset += 100) {
                    assertThat(poor.fetch(0, 0, offset, 100)).isFalse();
                    poor.awaitIdle();
                }
                assertThat(memory.capacity()).isZero();
                assertThat(poor.stats().currentBytes()).isZero();
            }
        }
    }

    @Test
    void goesOnWithTheMemoryThatItGot() throws IOException {
        final int[] left = {3};
        memory =
                new BlockPool(
                        100 * BLOCK,
                        BLOCK,
                        size -> {
                            if (left[0]-- == 0) {
                                throw new OutOfMemoryError("none left");
                            }
                            return java.nio.ByteBuffer.allocateDirect(size);
                        });
        outputs = new TestOutputs(localDir, memory);
        outputs.write(0, 20_000);
        outputs.fetch(0, 0, 0, 2500);
        outputs.awaitIdle();
        assertThat(memory.capacity()).isBetween(1, 3);
        assertThat(outputs.fetch(0, 0, 3000, 500)).isTrue();
    }

    // ---- files that change ---------------------------------------------------------------------

    @Test
    void aFileThatIsCutShortFailsOnItsOwnWay() throws IOException {
        start(2);
        outputs.write(0, 10_000);
        outputs.fetch(0, 0, 0, 500);
        outputs.awaitIdle();
        try (RandomAccessFile file = new RandomAccessFile(outputs.data(0).toFile(), "rw")) {
            file.setLength(2100);
        }
        assertThat(outputs.fetch(0, 0, 500, 1000)).isTrue();
        outputs.awaitIdle();
        assertThat(outputs.cached(0, 0, 5000, 1000)).isNull();
        outputs.awaitIdle();
        assertThat(outputs.cached(0, 0, 6000, 1000)).isNull();
        assertThat(outputs.source().prefetcher().blockCount()).isZero();
    }

    @Test
    void aFileThatIsOpenedAgainIsAnotherOne() throws IOException {
        start(100);
        outputs.write(0, 5000);
        outputs.fetch(0, 0, 0, 1000);
        outputs.awaitIdle();
        try (ServedSegment segment =
                TestOutputs.open(outputs.source(), JOB, new SegmentId(TestOutputs.attempt(0), 0))) {
            segment.file(0, 1).channel().close();
        }
        assertThat(outputs.fetch(0, 0, 1000, 1000)).isFalse();
        outputs.awaitIdle();
        assertThat(outputs.fetch(0, 0, 2000, 1000)).isTrue();
        assertThat(outputs.source().prefetcher().fileCount()).isOne();
    }

    @Test
    void aFileThatIsNotKeptOpenLeavesMemory() throws IOException {
        memory = new BlockPool(100 * BLOCK, BLOCK);
        outputs = new TestOutputs(localDir, memory, Map.of("spillway.node.open.files", "1"));
        for (int map = 0; map < 4; map++) {
            outputs.write(map, 5000);
            outputs.fetch(map, 0, 0, 1000);
            outputs.awaitIdle();
            assertThat(outputs.source().prefetcher().fileCount()).isOne();
        }
        assertThat(outputs.source().openFileCount()).isOne();
        assertThat(memory.usedBytes()).isLessThanOrEqualTo(5 * BLOCK);
    }

    // ---- room ----------------------------------------------------------------------------------

    @Test
    void aBlockLeavesWithItsLastByte() throws IOException {
        start(100);
        outputs.write(0, 600, 600, 800);
        outputs.fetch(0, 0, 0, 1);
        outputs.awaitIdle();
        assertThat(outputs.source().prefetcher().blockCount()).isEqualTo(2);
        assertThat(outputs.fetch(0, 0, 1, 599)).isTrue();
        assertThat(outputs.source().prefetcher().blockCount()).isEqualTo(2);
        assertThat(outputs.fetch(0, 1, 0, 600)).isTrue();
        assertThat(outputs.source().prefetcher().blockCount()).isOne();
        assertThat(outputs.fetch(0, 2, 0, 800)).isTrue();
        assertThat(outputs.source().prefetcher().blockCount()).isZero();
        assertThat(outputs.stats().evictedUnreadBytes()).isZero();
        assertThat(outputs.fetch(0, 1, 0, 600)).as("of another attempt").isFalse();
    }

    @Test
    void whatIsUrgentDrivesOutWhatIsNot() throws IOException {
        start(2);
        outputs.write(0, 2000, 2000);
        outputs.write(1, 8000, 0);
        outputs.fetch(0, 1, 0, 2000);
        outputs.awaitIdle();
        assertThat(outputs.source().prefetcher().blockCount()).isEqualTo(2);
        for (int offset = 0; offset < 8000; offset += 500) {
            outputs.fetch(1, 0, offset, 500);
            outputs.awaitIdle();
        }
        assertThat(outputs.stats().hits()).isGreaterThan(10);
        assertThat(outputs.stats().evictedUnreadBytes()).isBetween(1L, 2L * BLOCK);
        assertThat(memory.allocatedBytes()).isEqualTo(2 * BLOCK);
    }

    @Test
    void whatADeadReducerHasLeftGoesInTheEnd() throws IOException {
        start(1);
        outputs.write(0, 8000);
        outputs.write(1, 8000);
        outputs.fetch(0, 0, 0, 500);
        outputs.awaitIdle();
        assertThat(outputs.fetch(0, 0, 500, 100)).isTrue();
        outputs.awaitIdle();
        boolean hit = false;
        for (int offset = 0; offset < 8000 && !hit; offset += 200) {
            hit = outputs.fetch(1, 0, offset, 200);
            outputs.awaitIdle();
        }
        assertThat(hit).isTrue();
    }

    @Test
    void neitherABlockNorItsMemoryGoesWhileItIsSent() throws IOException {
        start(1);
        outputs.write(0, 8000);
        outputs.fetch(0, 0, 0, 500);
        outputs.awaitIdle();
        try (CachedBytes sending = outputs.cached(0, 0, 500, 500)) {
            outputs.fetch(0, 0, 500, 500);
            for (int offset = 1000; offset < 8000; offset += 100) {
                assertThat(outputs.fetch(0, 0, offset, 100)).isFalse();
                outputs.awaitIdle();
            }
            assertThat(TestOutputs.bytes(sending)).isEqualTo(outputs.expected(0, 0, 500, 500));
            outputs.endJob();
            assertThat(memory.usedBytes()).isEqualTo(BLOCK);
            assertThat(TestOutputs.bytes(sending)).isEqualTo(outputs.expected(0, 0, 500, 500));
            sending.sent();
        }
        assertThat(memory.usedBytes()).isZero();
    }

    // ---- ends ----------------------------------------------------------------------------------

    @Test
    void theEndOfAJobFreesAllOfIt() throws IOException {
        start(50);
        for (int map = 0; map < 5; map++) {
            outputs.write(map, 3000, 3000);
            outputs.fetch(map, 0, 0, 1000);
        }
        outputs.awaitIdle();
        assertThat(memory.usedBytes()).isPositive();
        final ServedSegment late =
                TestOutputs.open(outputs.source(), JOB, new SegmentId(TestOutputs.attempt(0), 1));
        outputs.endJob();
        outputs.awaitIdle();
        assertThat(memory.usedBytes()).isZero();
        assertThat(outputs.source().prefetcher().fileCount()).isZero();
        assertThat(late.cached(0, 1000)).isNull();
        outputs.awaitIdle();
        assertThat(outputs.source().prefetcher().fileCount()).isZero();
        assertThat(memory.usedBytes()).isZero();
        late.close();
        assertThat(late.file(0, 1).channel().isOpen()).isFalse();
        assertThat(memory.allocatedBytes()).isPositive();
    }

    @Test
    void servesManyReadersWhileJobsEnd() throws Exception {
        start(20);
        for (int map = 0; map < 6; map++) {
            outputs.write(map, 7000, 500, 9000);
        }
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        final List<Future<?>> readers = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            final Random random = new Random(t);
            readers.add(threads.submit(() -> readSome(random)));
        }
        for (int i = 0; i < 20; i++) {
            outputs.source().taskEnded(JOB);
            outputs.source().dropJob(JOB);
            assertThat(memory.allocatedBytes()).isLessThanOrEqualTo(20L * BLOCK);
            Thread.sleep(5);
        }
        for (final Future<?> reader : readers) {
            reader.get();
        }
        threads.shutdown();
        outputs.endJob();
        outputs.awaitIdle();
        assertThat(memory.usedBytes()).isZero();
        assertThat(outputs.source().prefetcher().fileCount()).isZero();
    }

    private void readSome(final Random random) {
        try {
            for (int i = 0; i < 1500; i++) {
                final int offset = random.nextInt(6000);
                outputs.fetch(random.nextInt(6), random.nextBoolean() ? 0 : 2, offset, 1000);
            }
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }
}
