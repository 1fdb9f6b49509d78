// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.conf.WireTier;
import io.spillway.transport.CachedBytes;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.OutputSummary;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.SegmentSink;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, unit = TimeUnit.SECONDS)
final class OverflowStoreTest {
    private static final int CHUNK = 4096;
    private static final int CAPACITY = 64 * CHUNK;
    private static final int PIECE = 5 * CHUNK / 2;
    private static final String JOB = "job_1";
    private static final String[] CHILD_COMMAND = {
        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
        "-XX:+UseSerialGC",
        "-Xshare:auto",
        "-cp",
        System.getProperty("java.class.path"),
        Child.class.getName()
    };

    @TempDir private Path directory;
    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void closeAll() throws Exception {
        for (final AutoCloseable resource : opened) {
            resource.close();
        }
    }

    private OverflowStore store(final long limit) throws IOException {
        return later(OverflowStore.in(directory, OptionalLong.of(limit)));
    }

    private OverflowStore later(final OverflowStore store) {
        opened.add(store);
        return store;
    }

    private static MemorySegments segments(final OverflowStore overflow) {
        return segments(overflow, Long.MAX_VALUE);
    }

    private static MemorySegments segments(final OverflowStore overflow, final long jobLimit) {
        return new MemorySegments(
                CAPACITY,
                CHUNK,
                job -> new byte[1],
                DirectMemory.SYSTEM,
                HeapAccount.ofThisProcess(),
                jobLimit,
                (job, output, bytes) -> {},
                overflow);
    }

    // ---- puts ----------------------------------------------------------------------------------

    private static byte[] bytes(final int seed, final int length) {
        final byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static int crcOf(final byte[] bytes) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes);
        return (int) crc.getValue();
    }

    private static final class End extends CompletableFuture<Void>
            implements SegmentSink.Completion {
        @Override
        public void done() {
            complete(null);
        }

        @Override
        public void failed(final FetchException cause) {
            completeExceptionally(cause);
        }

        void require() throws FetchException {
            try {
                get(60, TimeUnit.SECONDS);
            } catch (final ExecutionException e) {
                throw (FetchException) e.getCause();
            } catch (final Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    private static void put(
            final MemorySegments store, final SegmentId id, final long offset, final byte[] bytes)
            throws FetchException {
        final SegmentSink.Piece piece = store.begin(JOB, id, offset, bytes.length, crcOf(bytes));
        int from = 0;
        for (final ByteBuffer room : piece.room()) {
            final int count = room.remaining();
            room.put(bytes, from, count);
            from += count;
        }
        final End end = new End();
        piece.arrived(end);
        end.require();
    }

    private static void commit(final MemorySegments store, final String output, final byte[] bytes)
            throws FetchException {
        final End end = new End();
        store.commit(
                JOB,
                new OutputSummary(
                        output,
                        List.of(
                                new OutputSummary.Segment(
                                        0, 0, bytes.length, bytes.length, crcOf(bytes)))),
                end);
        end.require();
    }

    /** Puts an output of one segment, piece by piece. */
    private static byte[] output(final MemorySegments store, final int number, final int length)
            throws FetchException {
        final byte[] all = bytes(number, length);
        final String name = "output" + number;
        for (int at = 0; at < length; at += PIECE) {
            final byte[] piece = Arrays.copyOfRange(all, at, Math.min(length, at + PIECE));
            put(store, new SegmentId(name, 0), at, piece);
        }
        commit(store, name, all);
        return all;
    }

    private static ServedSegment open(final MemorySegments store, final int number)
            throws FetchException {
        return store.open(JOB, new SegmentId("output" + number, 0));
    }

    private static byte[] read(final ServedSegment segment, final int offset, final int length)
            throws IOException {
        final ByteBuffer room = ByteBuffer.allocate(length + 2).position(1).limit(length + 1);
        segment.read(offset, room);
        assertThat(room.position()).isEqualTo(length + 1);
        assertThat(room.limit()).isEqualTo(length + 1);
        return Arrays.copyOfRange(room.array(), 1, length + 1);
    }

    private static byte[] readFile(final SegmentFile file, final int offset, final int length)
            throws IOException {
        final ByteBuffer room = ByteBuffer.allocate(length);
        file.read(offset, room);
        return room.array();
    }

    /** What the descriptors of this process are that once had a name in the directory. */
    private List<Path> openFiles() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.filter(this::isInDirectory).toList();
        }
    }

    private boolean isInDirectory(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).startsWith(directory.toRealPath());
        } catch (final NoSuchFileException e) {
            return false; // the one that lists them
        } catch (final IOException e) {
            throw new AssertionError(e);
        }
    }

    private List<Path> namesIn(final Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    // ---- tests ---------------------------------------------------------------------------------

    @Test
    void whatWasAbortedInFilesDoesNotCountForItsJobsLimit() throws Exception {
        final MemorySegments store = segments(store(4 * CAPACITY), 2 * CAPACITY);
        for (int number = 0; number < 20; number++) {
            output(store, number, CAPACITY);
            assertThat(store.overflowUsed()).isPositive();
            store.abort(JOB, "output" + number, new End());
            assertThat(store.used()).isZero();
        }
    }

    @Test
    void whatMemoryHasNoRoomForGoesToFilesAndIsServedFromThere() throws Exception {
        final MemorySegments store = segments(store(64L << 20));
        final Map<Integer, byte[]> all = new LinkedHashMap<>();
        for (int i = 0; i < 10; i++) {
            all.put(i, output(store, i, 100_000 + i));
        }
        assertThat(store.used()).isLessThan(CAPACITY);
        assertThat(store.capacity()).isEqualTo(CAPACITY - CAPACITY / 4);
        assertThat(store.overflowUsed()).isBetween(700_000L, 1_000_100L);
        assertThat(store.committed().get(JOB).get("output9")).isBetween(100_000L, 120_000L);
        assertThat(openFiles()).as("one file a job").hasSize(1);
        assertThat(namesIn(directory)).as("no names").isEmpty();
        for (final Map.Entry<Integer, byte[]> one : all.entrySet()) {
            requireServed(store, one.getKey(), one.getValue());
        }
        try (ServedSegment last = open(store, 9)) {
            assertThat(last.file(0, 100_009)).as("pieces one behind the other").isNotNull();
            assertThat(last.cached(0, 10)).isNull();
            assertThat(last.tier()).isEqualTo(WireTier.DISK);
        }
        store.dropJob(JOB);
        assertThat(store.overflowUsed()).isZero();
        assertThat(store.used()).isZero();
        assertThat(openFiles()).isEmpty();
    }

    private static void requireServed(
            final MemorySegments store, final int number, final byte[] all) throws Exception {
        try (ServedSegment segment = open(store, number)) {
            final Random random = new Random(number);
            for (int i = 0; i < 20; i++) {
                final int from = random.nextInt(all.length);
                final int length = 1 + random.nextInt(all.length - from);
                final byte[] expected = Arrays.copyOfRange(all, from, from + length);
                assertThat(read(segment, from, length)).isEqualTo(expected);
                final SegmentFile file = segment.file(from, length);
                if (file != null) {
                    assertThat(readFile(file, from, length)).isEqualTo(expected);
                }
                final CachedBytes cached = segment.cached(from, length);
                assertThat(cached == null || file == null).isTrue();
                if (cached != null) {
                    final ByteBuffer room = ByteBuffer.allocate(length);
                    cached.buffers().forEach(buffer -> room.put(buffer.duplicate()));
                    assertThat(room.array()).isEqualTo(expected);
                    cached.close();
                }
            }
            assertThat(segment.checksum(PIECE, PIECE))
                    .isEqualTo(
                            Integer.toUnsignedLong(
                                    crcOf(Arrays.copyOfRange(all, PIECE, 2 * PIECE))));
        }
    }

    /** Threads of connections take room while a disk is slow to make the file. */
    @Test
    void aFileThatIsSlowToComeKeepsNoOtherPutWaiting() throws Exception {
        final CountDownLatch asked = new CountDownLatch(1);
        final CountDownLatch answers = new CountDownLatch(1);
        final OverflowStore slow =
                later(
                        new OverflowStore(
                                "slow",
                                64 << 20,
                                () -> {
                                    asked.countDown();
                                    awaitUninterruptibly(answers);
                                    return OverflowDirectory.in(directory).open();
                                },
                                System::nanoTime));
        final MemorySegments store = segments(slow);
        final byte[] bytes = bytes(1, PIECE);
        final SegmentId id = new SegmentId("output", 0);
        long offset = 0;
        final List<End> ends = new ArrayList<>();
        while (slow.used() == 0) {
            ends.add(begin(store, id, offset, bytes));
            offset += PIECE;
        }
        asked.await();
        final long end = offset;
        CompletableFuture.runAsync(() -> ends.add(begin(store, id, end, bytes)))
                .get(60, TimeUnit.SECONDS);
        answers.countDown();
        for (final End one : ends) {
            one.require();
        }
    }

    private static void awaitUninterruptibly(final CountDownLatch latch) {
        try {
            latch.await();
        } catch (final InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static End begin(
            final MemorySegments store, final SegmentId id, final long offset, final byte[] bytes) {
        final End end = new End();
        try {
            final SegmentSink.Piece piece =
                    store.begin(JOB, id, offset, bytes.length, crcOf(bytes));
            int from = 0;
            for (final ByteBuffer room : piece.room()) {
                final int count = room.remaining();
                room.put(bytes, from, count);
                from += count;
            }
            piece.arrived(end);
        } catch (final FetchException e) {
            throw new AssertionError(e);
        }
        return end;
    }

    @Test
    void aSegmentMayBeginInMemoryAndEndInAFile() throws Exception {
        final MemorySegments store = segments(store(64L << 20));
        final byte[] all = output(store, 1, 2 * CAPACITY);
        try (ServedSegment segment = open(store, 1)) {
            assertThat(segment.cached(0, CAPACITY / 2)).isNotNull().satisfies(CachedBytes::close);
            assertThat(segment.file(0, CAPACITY / 2)).isNull();
            assertThat(segment.file(CAPACITY, CAPACITY)).isNotNull();
            assertThat(segment.cached(CAPACITY / 2, CAPACITY)).isNull();
            assertThat(segment.file(CAPACITY / 2, CAPACITY)).isNull();
            assertThat(read(segment, CAPACITY / 2, CAPACITY))
                    .isEqualTo(Arrays.copyOfRange(all, CAPACITY / 2, CAPACITY / 2 + CAPACITY));
        }
    }

    @Test
    void aPutBeyondTheLimitIsRefusedAndFitsOnceAJobHasEnded() throws Exception {
        final MemorySegments store = segments(store(CAPACITY));
        output(store, 1, CAPACITY);
        final FetchException full =
                catchThrowableOfType(FetchException.class, () -> output(store, 2, 2 * CAPACITY));
        assertThat(full.reason()).isEqualTo(Reason.FULL);
        assertThat(full).hasMessageContaining("overflow used=");
        assertThat(store.overflowUsed()).isLessThanOrEqualTo(CAPACITY);
        store.dropJob(JOB);
        requireServed(store, 3, output(store, 3, 3 * CAPACITY / 2));
    }

    /** Repeated puts of an attempt that is aborted use what the one before has written. */
    @Test
    void anAbortedOutputsBytesAreUsedAgain() throws Exception {
        final MemorySegments store = segments(store(64L << 20));
        output(store, 0, CAPACITY);
        put(store, new SegmentId("aborted", 0), 0, bytes(1, CAPACITY / 8));
        final long used = store.overflowUsed();
        for (int i = 0; i < 30; i++) {
            final End end = new End();
            store.abort(JOB, "aborted", end);
            end.require();
            put(store, new SegmentId("aborted", 0), 0, bytes(i, CAPACITY / 8));
        }
        assertThat(store.overflowUsed()).isEqualTo(used);
    }

    @Test
    void piecesThatNeverComeTakeNoMore() throws Exception {
        final MemorySegments store = segments(store(64L << 20));
        output(store, 0, CAPACITY);
        final byte[] piece = bytes(3, PIECE);
        final SegmentId id = new SegmentId("output1", 0);
        put(store, id, PIECE, bytes(4, PIECE));
        store.begin(JOB, id, 0, PIECE, crcOf(piece)).abandon();
        final long used = store.used();
        final long inFiles = store.overflowUsed();
        for (int i = 0; i < 100; i++) {
            store.begin(JOB, id, 0, PIECE, crcOf(piece)).abandon();
        }
        assertThat(store.used()).isEqualTo(used);
        assertThat(store.overflowUsed()).isEqualTo(inFiles);
        put(store, id, 0, piece);
        assertThat(store.overflowUsed()).isEqualTo(inFiles);
    }

    /** The system's own error of a device without room. */
    @Test
    void aFullDeviceRefusesPutsAndNothingElse() throws Exception {
        final AtomicBoolean full = new AtomicBoolean();
        final AtomicLong clock = new AtomicLong();
        final OverflowDirectory files = OverflowDirectory.in(directory);
        final OverflowStore overflow =
                later(
                        new OverflowStore(
                                "a device",
                                64L << 20,
                                () -> full.get() ? fullDevice() : files.open(),
                                clock::get));
        final MemorySegments store = segments(overflow);
        final byte[] before = output(store, 1, CAPACITY);
        full.set(true);
        final SegmentId other = new SegmentId("other", 0);
        assertThatThrownBy(() -> putOfOtherJob(store, other))
                .isInstanceOfSatisfying(
                        FetchException.class, e -> assertThat(e.reason()).isEqualTo(Reason.FULL))
                .hasMessageContaining("No space left on device");
        assertThat(overflow.failures()).isOne();
        assertThat(store.overflowCapacity()).as("no leases").isEqualTo(store.overflowUsed());
        assertThatThrownBy(() -> store.begin(JOB, other, 0, PIECE, 0))
                .hasMessageContaining("no room");
        requireServed(store, 1, before);

        clock.addAndGet(TimeUnit.SECONDS.toNanos(10));
        assertThat(store.overflowCapacity()).isEqualTo(64L << 20);
        requireServed(store, 2, output(store, 2, CAPACITY));
    }

    private static FileChannel fullDevice() throws IOException {
        return FileChannel.open(
                Path.of("/dev/full"), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static void putOfOtherJob(final MemorySegments store, final SegmentId id)
            throws FetchException {
        final byte[] piece = bytes(9, PIECE);
        final SegmentSink.Piece begun = store.begin("job_2", id, 0, PIECE, crcOf(piece));
        final End end = new End();
        begun.arrived(end);
        end.require();
    }

    /** A read that fails then costs one fetch: nothing of its answer has been sent. */
    @Test
    void anOutputWhoseFileHasFailedIsReadBeforeItIsSent() throws Exception {
        final MemorySegments store = segments(store(64L << 20));
        output(store, 0, CAPACITY);
        final byte[] all = output(store, 1, 3 * PIECE);
        try (ServedSegment segment = open(store, 1)) {
            assertThat(segment.file(0, all.length)).isNotNull();
            segment.fileFailed(new IOException("Input/output error"));
        }
        try (ServedSegment next = open(store, 1)) {
            assertThat(next.file(0, all.length)).isNull();
            assertThat(read(next, 0, all.length)).isEqualTo(all);
        }
    }

    @Test
    void aDamagedFileDoesNotFitItsChecksums() throws Exception {
        final MemorySegments store = segments(store(64L << 20));
        output(store, 0, CAPACITY);
        final byte[] all = output(store, 1, 3 * PIECE);
        try (ServedSegment segment = open(store, 1)) {
            final SegmentFile file = segment.file(0, all.length);
            try (FileChannel writer =
                    FileChannel.open(openFiles().get(0), StandardOpenOption.WRITE)) {
                final byte other = (byte) (all[PIECE + 7] + 1);
                writer.write(ByteBuffer.wrap(new byte[] {other}), file.position() + PIECE + 7);
            }
            assertThat(segment.checksum(0, PIECE))
                    .isEqualTo(Integer.toUnsignedLong(crcOf(read(segment, 0, PIECE))));
            assertThat(segment.checksum(PIECE, PIECE))
                    .isNotEqualTo(Integer.toUnsignedLong(crcOf(read(segment, PIECE, PIECE))));
        }
    }

    @Test
    void aClosedStoreRefusesAndHasNoFiles() throws Exception {
        final OverflowStore overflow = store(64L << 20);
        final MemorySegments store = segments(overflow);
        output(store, 1, 2 * CAPACITY);
        final SegmentSink.Piece late =
                store.begin(JOB, new SegmentId("late", 0), 0, PIECE, crcOf(new byte[PIECE]));
        overflow.close();
        overflow.close();
        assertThat(openFiles()).isEmpty();
        final End end = new End();
        late.arrived(end);
        assertThatThrownBy(end::require).hasMessageContaining("is closed");
        store.dropJob(JOB);
        assertThat(overflow.used()).isZero();
    }

    @Test
    void directoriesThatCannotBeUsedAreNamed() throws Exception {
        final Path missing = directory.resolve("missing");
        assertThatThrownBy(() -> OverflowStore.in(missing, OptionalLong.of(1)))
                .isInstanceOf(IOException.class)
                .hasMessage(missing + " is not a directory");
        // The kernel creates no file in /proc for any process, root's included.
        assertThatThrownBy(() -> OverflowStore.in(Path.of("/proc"), OptionalLong.of(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("cannot create a file in /proc/spillway-overflow-");
        final Path own = directory.resolve("spillway-overflow-" + System.getProperty("user.name"));
        Files.createDirectory(own);
        Files.setPosixFilePermissions(own, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(() -> OverflowStore.in(directory, OptionalLong.of(1)))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("others can write to it");
    }

    @Test
    void ownFolderIsPrivateAndWhatAKilledProcessHasLeftIsDeleted() throws Exception {
        store(1).close();
        final Path own = directory.resolve("spillway-overflow-" + System.getProperty("user.name"));
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(own)))
                .isEqualTo("rwx------");
        final Path old = Files.createFile(own.resolve(".overflow-1"));
        Files.setLastModifiedTime(old, FileTime.from(Instant.now().minusSeconds(3600)));
        final Path young = Files.createFile(own.resolve(".overflow-2"));
        final Path strange = Files.createFile(own.resolve("strange"));
        Files.setLastModifiedTime(strange, FileTime.from(Instant.EPOCH));
        store(1).close();
        assertThat(namesIn(own)).containsExactlyInAnyOrder(young, strange);
        final OverflowStore auto = later(OverflowStore.in(directory, OptionalLong.empty()));
        assertThat(auto.capacity()).isBetween(1L, Files.getFileStore(directory).getTotalSpace());
    }

    /** Users without an entry in the system's list of users have all one name in Java. */
    @Test
    void ownFolderIsNamedAfterItsOwner() throws Exception {
        final String user = System.setProperty("user.name", "?");
        try {
            store(1);
            final String owner = Files.getOwner(directory).getName();
            assertThat(directory.resolve("spillway-overflow-" + owner)).isDirectory();
            assertThat(directory.resolve("spillway-overflow-?")).doesNotExist();
        } finally {
            System.setProperty("user.name", user);
        }
    }

    /** A process that writes to files until it is killed. */
    static final class Child {
        private Child() {}

        public static void main(final String[] args) throws Exception {
            final MemorySegments store =
                    segments(OverflowStore.in(Path.of(args[0]), OptionalLong.of(64L << 20)));
            output(store, 1, 4 * CAPACITY);
            System.out.println(store.overflowUsed());
            Thread.sleep(600_000);
        }
    }

    @Test
    void aKilledProcessLeavesNothing() throws Exception {
        final List<String> command = new ArrayList<>(List.of(CHILD_COMMAND));
        command.add(directory.toString());
        final Process child = new ProcessBuilder(command).redirectError(errors()).start();
        try (var lines = child.inputReader()) {
            final String line = lines.readLine();
            assertThat(line).as(Files.readString(directory.resolve("errors"))).isNotNull();
            assertThat(Long.parseLong(line)).isGreaterThan(3 * CAPACITY);
            assertThat(filesOf(child.pid())).as("it holds a file").hasSize(1);
        } finally {
            child.destroyForcibly().waitFor();
        }
        assertThat(namesIn(directory)).containsExactly(directory.resolve("errors"));
    }

    private java.io.File errors() {
        return directory.resolve("errors").toFile();
    }

    private List<Path> filesOf(final long process) throws IOException {
        final List<Path> found = new ArrayList<>();
        try (Stream<Path> all = Files.list(Path.of("/proc/" + process + "/fd"))) {
            for (final Path descriptor : all.toList()) {
                final String target = Files.readSymbolicLink(descriptor).toString();
                if (target.startsWith(directory.toRealPath() + "/spillway-overflow-")) {
                    found.add(descriptor);
                }
            }
        }
        return found;
    }
}
