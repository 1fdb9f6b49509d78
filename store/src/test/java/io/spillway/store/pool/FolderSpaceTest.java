// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.host.TestJvm;
import io.spillway.store.EmulatedNvm;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.StoreFullException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How much a folder holds, whatever lengths and jobs come, and never more than its limit. */
@Timeout(300)
class FolderSpaceTest {
    private static final int MIB = 1 << 20;
    private static final long LIMIT = 48L * MIB;
    private static final long PLENTY = Long.MAX_VALUE / 2;

    @TempDir(factory = SharedMemory.class)
    private Path directory;

    private Path root;
    private FilePool folder;

    /** Pages of these files are memory, as in the memory tier. */
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
        root = directory.resolve("of-user").resolve("node");
        folder = FilePool.create(root, LIMIT, Duration.ZERO);
    }

    @AfterEach
    void release() {
        folder.release();
    }

    private SpillStore store(final String job, final int map, final long memory)
            throws IOException {
        return FileSpillStore.ofFiles(
                "memory",
                folder.lease(
                        "application_1_" + job,
                        "attempt_1_" + job + "_m_" + map + "_0",
                        new FreeSpace(directory, 0, () -> memory)));
    }

    /** Tasks that begin at the same time have written nothing yet when the next one looks. */
    @Test
    void countsWhatIsGrantedAndNotWritten() throws IOException {
        final List<SpillStore> tasks = new ArrayList<>();
        for (int map = 0; map < 4; map++) {
            tasks.add(store("0001", map, PLENTY));
            tasks.get(map).create("spill0", 12 * MIB - 4096);
        }
        try (SpillStore late = store("0001", 9, PLENTY)) {
            assertThatThrownBy(() -> late.create("spill0", 2 * MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("limit=" + LIMIT);
        }
        tasks.forEach(SpillStore::close);
        assertThat(folder.usedBytes()).isZero();
    }

    /** The reserve of the host is looked at in the same way: what is granted will be written. */
    @Test
    void countsWhatIsGrantedAgainstTheHostsMemory() throws IOException {
        final long memory = 20L * MIB;
        try (SpillStore first = store("0001", 0, memory);
                SpillStore second = store("0001", 1, memory)) {
            first.create("spill0", 12 * MIB);
            assertThatThrownBy(() -> second.create("spill0", 12 * MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("free=" + memory)
                    .hasMessageContaining("unwritten=" + 24 * MIB);
            second.create("spill1", 8 * MIB);
        }
    }

    @Test
    void countsWhatAFileGrowsBy() throws IOException {
        try (SpillStore first = store("0001", 0, PLENTY);
                SpillStore second = store("0001", 1, PLENTY)) {
            final SpillSink sink = first.create("spill0", 0);
            sink.write(new byte[40 * MIB], 0, 40 * MIB);
            assertThatThrownBy(() -> second.create("spill0", 10 * MIB))
                    .isInstanceOf(StoreFullException.class);
            assertThat(sink.commit().length()).isEqualTo(40 * MIB);
        }
    }

    @Test
    void letsAFileGrowUpToTheLimitAndNoFurther() throws IOException {
        try (SpillStore first = store("0001", 0, PLENTY);
                SpillStore second = store("0001", 1, PLENTY)) {
            first.create("spill0", LIMIT - 4 * MIB);
            final SpillSink sink = second.create("spill0", 0);
            for (int written = 0; written < 7; written++) {
                sink.write(new byte[MIB / 2], 0, MIB / 2);
            }
            assertThatThrownBy(() -> sink.write(new byte[MIB], 0, MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("limit=" + LIMIT);
            assertThat(folder.usedBytes()).isLessThanOrEqualTo(LIMIT);
            assertThat(sink.commit().length()).isEqualTo(7L * MIB / 2);
        }
    }

    /** A combiner or a codec leaves less than what was expected: the rest is others' at once. */
    @Test
    void givesBackWhatWasGrantedAndNotUsed() throws IOException {
        try (SpillStore first = store("0001", 0, PLENTY)) {
            final SpillSink sink = first.create("spill0", 40 * MIB);
            sink.write(new byte[MIB], 0, MIB);
            sink.commit();
            assertThat(folder.usedBytes()).isBetween((long) MIB, MIB + 4096L);
        }
    }

    @Test
    void mapsNoMoreThanItWasGranted() throws IOException {
        final FileLease lease =
                folder.lease("application_1_1", "attempt_1", new FreeSpace(directory, 0));
        try (SpillStore store =
                FileSpillStore.ofMappedFiles("nvm", lease, false, EmulatedNvm.OFF)) {
            final byte[] content = random(1, 5 * MIB + 17);
            final SpillSink sink = store.create("spill0", MIB);
            for (int at = 0; at < content.length; at += MIB) {
                sink.write(content, at, Math.min(MIB, content.length - at));
                assertThat(lengths()).isLessThanOrEqualTo(folder.usedBytes());
            }
            final Spill spill = sink.commit();
            assertThat(folder.usedBytes()).isEqualTo(FolderUsage.pages(content.length));
            assertThat(spill.open(3 * MIB, 2 * MIB).readAllBytes())
                    .isEqualTo(Arrays.copyOfRange(content, 3 * MIB, 5 * MIB));
            assertThat(spill.open(0, content.length).readAllBytes()).isEqualTo(content);
            assertThat(folder.usedBytes()).isEqualTo(FolderUsage.pages(content.length));
        }
    }

    /** A task of an older version takes files without changing the account; the owner counts. */
    @Test
    void countsWhatAnOlderVersionHasTakenWhenTheOwnerLooks() throws IOException {
        try (SpillStore task = store("0001", 0, PLENTY)) {
            task.create("spill0", MIB);
            final Path other =
                    Files.createDirectories(root.resolve("apps/application_1_9/attempt"));
            try (RandomAccessFile file =
                    new RandomAccessFile(other.resolve("file.out.data").toFile(), "rw")) {
                file.setLength(40L * MIB);
            }
            Files.createFile(other.resolve("committed"));
            task.create("spill1", 2 * MIB);
            folder.reclaimDead();
            assertThatThrownBy(() -> task.create("spill2", 8 * MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("limit=" + LIMIT);
            task.create("spill3", 4 * MIB);
        }
        folder.reclaim("application_1_9");
    }

    /** A bound above the true sum refuses no file: the task counts before it refuses. */
    @Test
    void findsTheRoomOfFilesThatWentWithoutItsLock() throws IOException {
        try (SpillStore task = store("0001", 0, PLENTY)) {
            try (SpillSink sink = store("0002", 0, PLENTY).create("spill0", 40 * MIB)) {
                sink.write(new byte[MIB], 0, MIB);
                deleteAll(root.resolve("apps/application_1_0002"));
                assertThat(accountFits(41L * MIB)).isTrue();
                assertThat(accountFits(40L * MIB)).isFalse();
                task.create("spill1", 40 * MIB);
            }
            assertThat(folder.usedBytes()).isEqualTo(40L * MIB);
        }
    }

    private static void deleteAll(final Path application) throws IOException {
        try (Stream<Path> files = Files.walk(application)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                Files.delete(file);
            }
        }
    }

    /** Whether there is an account, and its bound is at most this number of bytes. */
    private boolean accountFits(final long bytes) throws IOException {
        try (PathLock lock = PathLock.take(folder.space().lock(), Duration.ofSeconds(5))) {
            return FolderAccount.of(lock, root).surelyFits(0, bytes, 0, PLENTY);
        }
    }

    private static byte[] random(final long seed, final int length) {
        final byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** The lengths of all files, however they are named. */
    private long lengths() throws IOException {
        try (Stream<Path> files =
                Files.find(
                        root,
                        Integer.MAX_VALUE,
                        (file, attributes) ->
                                attributes.isRegularFile() && !file.getParent().equals(root))) {
            return files.mapToLong(file -> file.toFile().length()).sum();
        }
    }

    /** Jobs of other shapes come and go; each fills the folder before anything overflows. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5})
    void holdsNineTenthsOfItsLimitWhateverCame(final long seed) throws IOException {
        final Random random = new Random(seed);
        final Deque<Job> jobs = new ArrayDeque<>();
        int overflows = 0;
        for (int number = 0; overflows < 25; number++) {
            final Job job = new Job(number, shape(random));
            jobs.addLast(job);
            while (job.outputs < 60 && job.write(random)) {
                final long used = folder.usedBytes();
                assertThat(accountFits(PLENTY)).isTrue();
                assertThat(accountFits(used - 1)).isFalse();
                assertThat(used).isLessThanOrEqualTo(LIMIT);
                assertThat(lengths()).isLessThanOrEqualTo(LIMIT);
            }
            if (job.overflowOf > 0) {
                overflows++;
                final long held = jobs.stream().mapToLong(each -> each.bytes).sum();
                assertThat(held + job.overflowOf)
                        .as("seed=%d job=%d", seed, number)
                        .isGreaterThanOrEqualTo(LIMIT / 10 * 9);
                end(jobs.removeFirst());
                if (random.nextBoolean() && !jobs.isEmpty()) {
                    end(jobs.removeLast());
                }
            }
        }
        while (!jobs.isEmpty()) {
            end(jobs.removeLast());
        }
        assertThat(folder.applications()).isEmpty();
    }

    private static int shape(final Random random) {
        final int[] shapes = {200 << 10, 700 << 10, 3 * MIB, 11 * MIB};
        return shapes[random.nextInt(shapes.length)];
    }

    private void end(final Job job) throws IOException {
        folder.reclaim("application_1_" + job.name());
    }

    /** Maps with outputs of about one length; what was expected is a little more or less. */
    private final class Job {
        private final int number;
        private final int typical;
        private int outputs;
        private long bytes;
        private long overflowOf;

        Job(final int number, final int typical) {
            this.number = number;
            this.typical = typical;
        }

        String name() {
            return Integer.toString(number);
        }

        boolean write(final Random random) throws IOException {
            final int length = typical / 2 + random.nextInt(typical);
            final int expected = length - 2000 + random.nextInt(4000);
            final FileLease lease =
                    folder.lease(
                            "application_1_" + name(),
                            "attempt_" + outputs,
                            new FreeSpace(directory, 0, () -> PLENTY));
            try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
                final SpillSink sink = store.create("file.out", expected);
                final byte[] piece = new byte[100_000];
                for (int at = 0; at < length; at += piece.length) {
                    sink.write(piece, 0, Math.min(piece.length, length - at));
                }
                sink.commit();
                lease.commit();
                outputs++;
                bytes += length;
                return true;
            } catch (final StoreFullException e) {
                overflowOf = Math.max(length, expected);
                return false;
            }
        }
    }

    /** Real processes that write at once: no file is two's, and the limit holds for all. */
    @Test
    void holdsItsLimitAgainstSeveralProcesses() throws Exception {
        final List<Process> writers = new ArrayList<>();
        try {
            for (int writer = 0; writer < 3; writer++) {
                writers.add(startWriter(writer));
            }
            long most = 0;
            while (writers.stream().anyMatch(Process::isAlive)) {
                final long lengths = folder.space().exclusively(this::lengths);
                most = Math.max(most, lengths);
                assertThat(lengths).isLessThanOrEqualTo(LIMIT);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            for (final Process writer : writers) {
                assertThat(writer.waitFor(1, TimeUnit.MINUTES)).isTrue();
                assertThat(writer.exitValue()).isZero();
            }
            assertThat(most).isGreaterThan(LIMIT / 2);
        } finally {
            writers.forEach(Process::destroyForcibly);
        }
        assertThat(folder.usedBytes()).isLessThanOrEqualTo(LIMIT);
    }

    /** A process adds a file's bytes to the account before it makes the file. */
    @ParameterizedTest
    @ValueSource(ints = {100, 250, 400})
    void accountsForNoLessThanThereIsWhenProcessesAreKilled(final int millis) throws Exception {
        folder.reclaimDead();
        final List<Process> writers = List.of(startWriter(1), startWriter(2));
        try {
            awaitLeases(2);
            TimeUnit.MILLISECONDS.sleep(millis);
            assertThat(writers).allMatch(Process::isAlive);
        } finally {
            writers.forEach(Process::destroyForcibly);
        }
        for (final Process writer : writers) {
            assertThat(writer.waitFor(1, TimeUnit.MINUTES)).isTrue();
        }
        final long used = folder.usedBytes();
        assertThat(used).isPositive();
        assertThat(accountFits(used - 1)).isFalse();
        folder.reclaim("application_1_2");
        assertThat(accountFits(folder.usedBytes() - 1)).isFalse();
    }

    /** Waits until as many attempts have files. */
    private void awaitLeases(final int count) throws InterruptedException, IOException {
        while (FolderUsage.of(root.resolve("apps")).leasable() < count) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private Process startWriter(final int writer) throws IOException {
        return new ProcessBuilder(
                        TestJvm.command(
                                List.of("-Xmx128m"),
                                Writer.class,
                                root.toString(),
                                Integer.toString(writer)))
                .inheritIO()
                .start();
    }

    /** Writes spills of random lengths, reads them back and drops them; ends with 0 if all held. */
    static final class Writer {
        private static final int ROUNDS = 150;

        private Writer() {}

        public static void main(final String[] arguments) throws IOException {
            final Path root = Path.of(arguments[0]);
            final Random random = new Random(Long.parseLong(arguments[1]));
            final FilePool folder = FilePool.existing(root, LIMIT).orElseThrow();
            final FileLease lease =
                    folder.lease(
                            "application_1_2",
                            "attempt_" + arguments[1],
                            new FreeSpace(root, 0, () -> PLENTY));
            int full = 0;
            try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
                final Deque<Spill> spills = new ArrayDeque<>();
                final Deque<byte[]> contents = new ArrayDeque<>();
                for (int round = 0; round < ROUNDS; round++) {
                    final byte[] content = random(random.nextLong(), 1 + random.nextInt(6 * MIB));
                    try (SpillSink sink = store.create("s" + round, content.length / 2)) {
                        sink.write(content, 0, content.length / 3);
                        sink.write(
                                content, content.length / 3, content.length - content.length / 3);
                        spills.add(sink.commit());
                        contents.add(content);
                    } catch (final StoreFullException e) {
                        full++;
                    }
                    while (spills.size() > 6 || (full > 0 && spills.size() > 3)) {
                        check(spills.removeFirst(), contents.removeFirst());
                        full = 0;
                    }
                }
                while (!spills.isEmpty()) {
                    check(spills.removeFirst(), contents.removeFirst());
                }
            }
        }

        private static void check(final Spill spill, final byte[] content) throws IOException {
            if (!Arrays.equals(spill.open(0, spill.length()).readAllBytes(), content)) {
                throw new IllegalStateException("another's bytes in " + spill.holder());
            }
            spill.delete();
        }
    }
}
