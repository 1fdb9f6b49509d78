// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.MapOutputRuns;
import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LocalSegmentSourceTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String OTHER_JOB = "job_1700000000000_0002";
    private static final int PARTITIONS = 3;
    private static final int SEGMENT_LENGTH = 100;

    private final Map<String, String> users =
            new ConcurrentHashMap<>(Map.of(JOB, "alice", OTHER_JOB, "bob"));
    private final Map<String, String> settings = new HashMap<>();
    private final AtomicInteger located = new AtomicInteger();
    private LocalSegmentSource source;

    @TempDir private Path localDir;

    @AfterEach
    void close() {
        if (source != null) {
            source.close();
        }
    }

    private LocalSegmentSource source() {
        source =
                new LocalSegmentSource(
                        new ToyLayout(),
                        this::locate,
                        List.of(localDir.resolve("store")),
                        users::get,
                        settings::get);
        return source;
    }

    private File locate(final String relativePath) throws FileNotFoundException {
        located.incrementAndGet();
        final Path path = localDir.resolve(relativePath);
        if (!Files.exists(path)) {
            throw new FileNotFoundException(relativePath);
        }
        return path.toFile();
    }

    private static String attempt(final int map) {
        return ToyLayout.output(JOB, map);
    }

    private static SegmentId segment(final int map, final int partition) {
        return new SegmentId(attempt(map), partition);
    }

    private Path directory(final int map) {
        return localDir.resolve(ToyLayout.folder("alice", JOB, attempt(map)));
    }

    private byte[] write(final int map) throws IOException {
        final byte[] bytes = new byte[PARTITIONS * SEGMENT_LENGTH];
        new Random(map).nextBytes(bytes);
        Files.createDirectories(directory(map));
        Files.write(directory(map).resolve(ToyLayout.DATA), bytes);
        final MapOutputIndex index = new MapOutputIndex(PARTITIONS);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            index.put(
                    partition,
                    new IndexEntry(
                            (long) partition * SEGMENT_LENGTH, 90 + partition, SEGMENT_LENGTH));
        }
        try (OutputStream out = Files.newOutputStream(directory(map).resolve(ToyLayout.INDEX))) {
            index.writeTo(out);
        }
        return bytes;
    }

    private static byte[] read(final ServedSegment segment) throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate((int) segment.partLength());
        segment.read(0, bytes);
        assertThat(bytes.hasRemaining()).isFalse();
        return bytes.array();
    }

    private Reason reason(final String jobId, final SegmentId segment) {
        return catchThrowableOfType(
                        FetchException.class,
                        () -> TestOutputs.open(source, jobId, segment).close())
                .reason();
    }

    /** An old descriptor stays useless where its file system was mounted again. */
    @Test
    void aFileWhoseReadHasFailedIsOpenedAnew() throws Exception {
        final byte[] bytes = write(0);
        final ServedSegment first = TestOutputs.open(source(), JOB, segment(0, 1));
        final ServedSegment other = TestOutputs.open(source, JOB, segment(0, 2));

        first.fileFailed(new IOException("Transport endpoint is not connected"));
        final ServedSegment next = TestOutputs.open(source, JOB, segment(0, 1));

        assertThat(other.file(0, 1).channel()).isSameAs(first.file(0, 1).channel());
        assertThat(next.file(0, 1).channel()).isNotSameAs(first.file(0, 1).channel());
        assertThat(read(next))
                .isEqualTo(Arrays.copyOfRange(bytes, SEGMENT_LENGTH, 2 * SEGMENT_LENGTH));
        first.close();
        other.close();
        next.close();
    }

    @Test
    void findsSegments() throws IOException {
        final byte[] bytes = write(0);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try (ServedSegment segment = TestOutputs.open(source(), JOB, segment(0, partition))) {
                assertThat(segment.rawLength()).isEqualTo(90 + partition);
                final ByteBuffer expected =
                        ByteBuffer.wrap(bytes, partition * SEGMENT_LENGTH, SEGMENT_LENGTH);
                assertThat(ByteBuffer.wrap(read(segment))).isEqualTo(expected);
            }
        }
    }

    /** Lays the output of {@code write} out as one run of several. */
    private void writeRuns(final int map, final int runs) throws IOException {
        for (int run = 0; run < runs; run++) {
            write(map);
            final Path directory = directory(map);
            final byte[] bytes = Files.readAllBytes(directory.resolve(ToyLayout.DATA));
            bytes[0] = (byte) run;
            Files.write(directory.resolve(MapOutputRuns.dataFile(run)), bytes);
            Files.delete(directory.resolve(ToyLayout.DATA));
            Files.move(
                    directory.resolve(ToyLayout.INDEX),
                    directory.resolve(MapOutputRuns.indexFile(run)));
        }
        try (OutputStream out = Files.newOutputStream(directory(map).resolve(MapOutputRuns.FILE))) {
            new MapOutputRuns(runs).writeTo(out);
        }
    }

    @Test
    void servesTheRunsOfAnOutput() throws IOException {
        writeRuns(0, 3);
        source();
        for (int round = 0; round < 2; round++) {
            for (int run = 2; run >= 0; run--) {
                try (ServedSegment segment =
                        TestOutputs.open(source, JOB, new SegmentId(attempt(0), 0, run))) {
                    assertThat(segment.runs()).isEqualTo(3);
                    assertThat(read(segment)[0]).isEqualTo((byte) run);
                }
            }
        }
        assertThat(reason(JOB, new SegmentId(attempt(0), 0, 3))).isEqualTo(Reason.OUT_OF_RANGE);
        assertThat(source.openFileCount()).isEqualTo(3);
        source.dropJob(JOB);
        assertThat(source.openFileCount()).isZero();
        assertThat(source.indexCount()).isZero();
    }

    @Test
    void anOutputOfOneFileHasOneRun() throws IOException {
        write(0);
        source();
        try (ServedSegment segment = TestOutputs.open(source, JOB, segment(0, 0))) {
            assertThat(segment.runs()).isEqualTo(1);
        }
        assertThat(reason(JOB, new SegmentId(attempt(0), 0, 1))).isEqualTo(Reason.OUT_OF_RANGE);
    }

    @Test
    void namesADamagedOrMissingFileOfRuns() throws IOException {
        writeRuns(0, 2);
        source();
        Files.delete(directory(0).resolve(MapOutputRuns.dataFile(1)));
        assertThat(reason(JOB, new SegmentId(attempt(0), 0, 1))).isEqualTo(Reason.NOT_FOUND);
        Files.write(directory(0).resolve(MapOutputRuns.FILE), new byte[5]);
        assertThatThrownBy(() -> TestOutputs.open(source, JOB, segment(0, 0)))
                .hasMessageContaining("file.out.runs: length=5, expected 12");
    }

    @Test
    void servesFromTheCacheAfterTheFirstTime() throws IOException {
        write(0);
        assertThat(source().openIfCached(JOB, segment(0, 1))).isNull();
        TestOutputs.open(source, JOB, segment(0, 1)).close();
        final int before = located.get();
        try (ServedSegment segment = (ServedSegment) source.openIfCached(JOB, segment(0, 2))) {
            assertThat(read(segment)).hasSize(SEGMENT_LENGTH);
        }
        TestOutputs.open(source, JOB, segment(0, 2)).close();
        assertThat(located.get()).isEqualTo(before);
    }

    @Test
    void neverRemembersThatSomethingIsMissing() throws IOException {
        source();
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.NOT_FOUND);
        write(0);
        Files.delete(directory(0).resolve(ToyLayout.INDEX));
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.NOT_FOUND);
        write(0);
        TestOutputs.open(source, JOB, segment(0, 0)).close();
    }

    @Test
    void refusesPartitionsThatAreNotThere() throws IOException {
        write(0);
        source();
        assertThat(reason(JOB, segment(0, PARTITIONS))).isEqualTo(Reason.OUT_OF_RANGE);
        assertThat(reason(JOB, segment(0, Integer.MAX_VALUE))).isEqualTo(Reason.OUT_OF_RANGE);
    }

    @Test
    void refusesWhatIsNotTheJobs() throws IOException {
        write(0);
        source();
        assertThat(reason(OTHER_JOB, segment(0, 0))).isEqualTo(Reason.UNAUTHORIZED);
        assertThat(reason("job_1700000000000_0003", segment(0, 0))).isEqualTo(Reason.UNKNOWN_JOB);
    }

    /** With the names of folders that are there, and of one that leads out of the job's own. */
    @Test
    void noNameThatIsMadeUpOpensAnOutputOfAnotherJob() throws IOException {
        write(0);
        source();
        TestOutputs.open(source, JOB, segment(0, 0)).close();
        for (final String name :
                List.of(
                        attempt(0),
                        JOB,
                        ToyLayout.output(OTHER_JOB, 0) + attempt(0),
                        OTHER_JOB + "." + attempt(0),
                        OTHER_JOB + attempt(0).substring("job".length()),
                        "output",
                        "x")) {
            Files.createDirectories(directory(0).getParent().resolve(name));
            final SegmentId made = new SegmentId(name, 0);
            assertThat(reason(OTHER_JOB, made)).as(name).isEqualTo(Reason.UNAUTHORIZED);
            assertThatThrownBy(() -> source.openIfCached(OTHER_JOB, made))
                    .as(name)
                    .isInstanceOf(FetchException.class)
                    .extracting(e -> ((FetchException) e).reason())
                    .isEqualTo(Reason.UNAUTHORIZED);
        }
        users.put("x", "alice");
        assertThat(reason("x", segment(0, 0))).isEqualTo(Reason.UNAUTHORIZED);
    }

    @Test
    void refusesDamagedFiles() throws IOException {
        write(0);
        source();
        final Path data = directory(0).resolve(ToyLayout.DATA);
        try (RandomAccessFile file = new RandomAccessFile(data.toFile(), "rw")) {
            file.setLength(2 * SEGMENT_LENGTH);
        }
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.SOURCE_FAILED);
        write(1);
        final Path index = directory(1).resolve(ToyLayout.INDEX);
        final byte[] bytes = Files.readAllBytes(index);
        bytes[5]++;
        Files.write(index, bytes);
        assertThat(reason(JOB, segment(1, 0))).isEqualTo(Reason.SOURCE_FAILED);
        Files.write(index, new byte[7]);
        assertThat(reason(JOB, segment(1, 0))).isEqualTo(Reason.SOURCE_FAILED);
        try (RandomAccessFile file = new RandomAccessFile(index.toFile(), "rw")) {
            file.setLength(MapOutputFiles.MAX_INDEX_LENGTH + 1L);
        }
        assertThat(reason(JOB, segment(1, 0))).isEqualTo(Reason.SOURCE_FAILED);
    }

    @Test
    void opensRegularFilesOnly() throws IOException {
        write(0);
        source();
        final Path data = directory(0).resolve(ToyLayout.DATA);
        final Path elsewhere = Files.move(data, localDir.resolve("elsewhere"));
        Files.createSymbolicLink(data, elsewhere);
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.SOURCE_FAILED);
        Files.delete(data);
        Files.createDirectory(data);
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.SOURCE_FAILED);
    }

    @Test
    void followsALinkIntoAStoreOfThisNodeOnly() throws IOException {
        source();
        write(0);
        final Path data = directory(0).resolve(ToyLayout.DATA);
        final Path store = localDir.resolve("store/apps/application");
        final Path leased = Files.createDirectories(store.resolve(directory(0).getFileName()));
        final Path kept = Files.move(data, leased.resolve("output.data"));
        Files.createSymbolicLink(data, kept);
        assertThat(read(TestOutputs.open(source, JOB, segment(0, 1)))).hasSize(SEGMENT_LENGTH);
        source.dropJob(JOB);

        final Path stray = Files.move(kept, localDir.resolve("stray"));
        Files.delete(data);
        Files.createSymbolicLink(data, localDir.resolve("store/../stray"));
        assertThat(stray).exists();
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.SOURCE_FAILED);
        Files.createSymbolicLink(kept, stray);
        Files.delete(data);
        Files.createSymbolicLink(data, kept);
        assertThat(reason(JOB, segment(0, 0))).isNotNull();
    }

    /** The target of such a link may belong to another user. */
    @Test
    void followsNoLinkToWhatAnotherAttemptHasInAStore() throws IOException {
        source();
        write(0);
        final Path data = directory(0).resolve(ToyLayout.DATA);
        final Path store = localDir.resolve("store/apps/application");
        final Path others = Files.createDirectories(store.resolve(directory(1).getFileName()));
        final Path output = Files.move(data, others.resolve("file.out=9000.lent"));
        Files.createSymbolicLink(data, output);
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.SOURCE_FAILED);

        final Path pool = Files.createDirectories(localDir.resolve("store/pool"));
        Files.delete(data);
        Files.createSymbolicLink(data, Files.move(output, pool.resolve("file")));
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.SOURCE_FAILED);
    }

    @Test
    void closesAnEvictedFileAfterItsLastByte() throws IOException {
        settings.put("spillway.node.open.files", "2");
        source();
        for (int map = 0; map < 4; map++) {
            write(map);
        }
        final ServedSegment inFlight = TestOutputs.open(source, JOB, segment(0, 0));
        for (int map = 1; map < 4; map++) {
            TestOutputs.open(source, JOB, segment(map, 0)).close();
        }
        assertThat(source.openFileCount()).isEqualTo(2);
        assertThat(inFlight.file(0, 1).channel().isOpen()).isTrue();
        assertThat(read(inFlight)).hasSize(SEGMENT_LENGTH);
        inFlight.close();
        inFlight.close();
        assertThat(inFlight.file(0, 1).channel().isOpen()).isFalse();
    }

    @Test
    void keepsNoMoreIndicesThanAllowed() throws IOException {
        settings.put("spillway.node.index.bytes", "64k");
        source();
        for (int map = 0; map < 400; map++) {
            write(map);
            TestOutputs.open(source, JOB, segment(map, 0)).close();
        }
        assertThat(source.indexCount()).isBetween(100, 250);
    }

    @Test
    void forgetsAJobThatHasEnded() throws IOException {
        write(0);
        final ServedSegment inFlight = TestOutputs.open(source(), JOB, segment(0, 0));
        source.dropJob(OTHER_JOB);
        assertThat(source.openFileCount()).isOne();
        users.remove(JOB);
        source.dropJob(JOB);
        assertThat(source.openFileCount()).isZero();
        assertThat(source.indexCount()).isZero();
        assertThat(reason(JOB, segment(0, 0))).isEqualTo(Reason.UNKNOWN_JOB);
        assertThat(read(inFlight)).hasSize(SEGMENT_LENGTH);
        inFlight.close();
        assertThat(inFlight.file(0, 1).channel().isOpen()).isFalse();
    }

    @Test
    void opensAFileAgainThatAnInterruptClosed() throws IOException {
        write(0);
        final ServedSegment first = TestOutputs.open(source(), JOB, segment(0, 0));
        first.file(0, 1).channel().close();
        assertThat(source.openIfCached(JOB, segment(0, 0))).isNull();
        try (ServedSegment second = TestOutputs.open(source, JOB, segment(0, 0))) {
            assertThat(read(second)).hasSize(SEGMENT_LENGTH);
        }
        first.close();
    }

    @Test
    void servesManyThreads() throws Exception {
        settings.put("spillway.node.open.files", "3");
        source();
        final Map<Integer, byte[]> outputs = new HashMap<>();
        for (int map = 0; map < 8; map++) {
            outputs.put(map, write(map));
        }
        final AtomicInteger good = new AtomicInteger();
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        for (int t = 0; t < 4; t++) {
            final Random random = new Random(t);
            threads.execute(() -> readSome(random, outputs, good));
        }
        threads.shutdown();
        assertThat(threads.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(good.get()).isEqualTo(4 * 500);
        assertThat(source.openFileCount()).isEqualTo(3);
    }

    private void readSome(
            final Random random, final Map<Integer, byte[]> outputs, final AtomicInteger good) {
        for (int i = 0; i < 500; i++) {
            final int map = random.nextInt(outputs.size());
            try (ServedSegment segment = TestOutputs.open(source, JOB, segment(map, 1))) {
                final ByteBuffer expected =
                        ByteBuffer.wrap(outputs.get(map), SEGMENT_LENGTH, SEGMENT_LENGTH);
                if (ByteBuffer.wrap(read(segment)).equals(expected)) {
                    good.incrementAndGet();
                }
            } catch (final IOException e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Outputs of all jobs lie in one directory: a link may lead to the output's own place only. */
    @Test
    void servesAnOutputOnASharedFileSystemFromItsOwnPlace() throws IOException {
        final SharedOutputs shared = new SharedOutputs(localDir.resolve("scratch"));
        settings.put("spillway.store.lustre.dir", shared.directory().toString());
        final byte[] bytes = write(0);
        write(1);
        final Path place = shared.output(JOB, "another-host", attempt(0));
        Files.createDirectories(place.getParent());
        Files.move(directory(0).resolve(ToyLayout.DATA), place);
        Files.createSymbolicLink(directory(0).resolve(ToyLayout.DATA), place);
        Files.delete(directory(1).resolve(ToyLayout.DATA));
        Files.createSymbolicLink(directory(1).resolve(ToyLayout.DATA), place);

        final ServedSegment first = (ServedSegment) source().open(JOB, segment(0, 1));
        try (first) {
            assertThat(first.tier().label()).isEqualTo("lustre");
            assertThat(first.partLength()).isEqualTo(bytes.length / PARTITIONS);
        }
        assertThatThrownBy(() -> source.open(JOB, segment(1, 1)))
                .isInstanceOf(FetchException.class)
                .hasMessageContaining("a link to " + place)
                .hasMessageContaining("the output's place in " + shared.directory());
    }
}
