// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.host.TestJvm;
import io.spillway.store.EmulatedNvm;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.Spill;
import io.spillway.store.SpillFile;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.SpillStoreConformance;
import io.spillway.store.StoreFullException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class FilePoolTest extends SpillStoreConformance {
    private static final String APP = "application_1700000000000_0001";
    private static final String ATTEMPT = "attempt_1700000000000_0001_m_00000";
    private static final long LIMIT = 256 << 20;
    private static final int MIB = 1 << 20;
    private static final Set<PosixFilePermission> OWNER_ONLY =
            PosixFilePermissions.fromString("rwx------");

    @TempDir private Path directory;
    private Path root;
    private FilePool folder;

    @BeforeEach
    void create() throws IOException {
        root = directory.resolve("of-user").resolve("node");
        folder = FilePool.create(root, LIMIT, Duration.ZERO);
    }

    @Override
    protected SpillStore newStore() throws IOException {
        final Path other = directory.resolve("conformance").resolve("node");
        return store(FilePool.create(other, LIMIT, Duration.ZERO), 9);
    }

    private SpillStore store(final FilePool of, final int map) throws IOException {
        return FileSpillStore.ofFiles("memory", lease(of, map));
    }

    private FileLease lease(final FilePool of, final int map) throws IOException {
        return of.lease(APP, ATTEMPT + map + "_0", new FreeSpace(directory, 0));
    }

    private static Spill spill(final SpillStore store, final String name, final int bytes)
            throws IOException {
        final byte[] content = new byte[bytes];
        new Random(bytes).nextBytes(content);
        try (SpillSink sink = store.create(name, bytes)) {
            sink.write(content, 0, bytes);
            return sink.commit();
        }
    }

    private List<Path> pool() throws IOException {
        try (Stream<Path> files = Files.list(root.resolve("pool"))) {
            return files.toList();
        }
    }

    private static List<Path> files(final Path below) throws IOException {
        try (Stream<Path> files = Files.walk(below)) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void usesAFileAgainAndGivesBackWhatItDoesNotNeed() throws IOException {
        try (SpillStore first = store(folder, 0)) {
            spill(first, "spill0", 3 * MIB).delete();
        }
        assertThat(pool()).hasSize(1);
        try (SpillStore second = store(folder, 1)) {
            final Spill spill = spill(second, "spill0", 2 * MIB);
            assertThat(pool()).isEmpty();
            assertThat(spill.holder().orElseThrow()).hasSize(2 * MIB);
            assertThat(spill.length()).isEqualTo(2 * MIB);
            assertThat(folder.usedBytes()).isEqualTo(2 * MIB);
        }
        assertThat(pool()).hasSize(1);
        assertThat(folder.applications()).containsExactly(APP);
    }

    /** As a node does while it sends an output whose job ends. */
    @Test
    void whatIsStillReadIsNotUsedAgain() throws IOException {
        leaveTwoOutputs();
        final byte[] content = Files.readAllBytes(kept(3 * MIB));
        try (FileChannel reader = FileChannel.open(kept(3 * MIB))) {
            folder.reclaim(APP);

            assertThat(pool()).singleElement().satisfies(file -> assertThat(file).hasSize(2 * MIB));
            try (SpillStore second = store(folder, 1)) {
                spill(second, "spill0", 3 * MIB - 1);
                spill(second, "spill1", 3 * MIB - 2);
                final ByteBuffer read = ByteBuffer.allocate(content.length);
                int count = 0;
                while (count >= 0 && read.hasRemaining()) {
                    count = reader.read(read, read.position());
                }
                assertThat(read.array()).isEqualTo(content);
            }
        }
    }

    /** The node process reads outputs too. */
    @Test
    void whatAnotherProcessReadsIsNotUsedAgain() throws Exception {
        leaveTwoOutputs();
        final Process reader =
                new ProcessBuilder("sleep", "60").redirectInput(kept(3 * MIB).toFile()).start();
        try {
            folder.reclaim(APP);

            assertThat(pool()).singleElement().satisfies(file -> assertThat(file).hasSize(2 * MIB));
            assertThat(folder.applications()).isEmpty();
        } finally {
            reader.destroyForcibly().waitFor();
        }
    }

    private void leaveTwoOutputs() throws IOException {
        try (FileLease files = lease(folder, 0);
                SpillStore store = FileSpillStore.ofFiles("memory", files)) {
            spill(store, "output", 3 * MIB);
            spill(store, "other", 2 * MIB);
            files.commit();
        }
    }

    /** The leased file of that length. */
    private Path kept(final long bytes) throws IOException {
        for (final Path file : files(root.resolve("apps"))) {
            if (Files.size(file) == bytes) {
                return file;
            }
        }
        throw new AssertionError("no file of " + bytes + " bytes");
    }

    /** Cutting would throw away warm pages that another output can use. */
    @Test
    void leavesAFileOfQuiteAnotherLengthWhileThereIsRoom() throws IOException {
        try (SpillStore first = store(folder, 0)) {
            spill(first, "spill0", 16 * MIB);
        }
        try (SpillStore second = store(folder, 1)) {
            spill(second, "spill0", MIB);
            assertThat(pool())
                    .singleElement()
                    .satisfies(file -> assertThat(file).hasSize(16 * MIB));
        }
    }

    @Test
    void takesTheSmallestFileThatIsLargeEnough() throws IOException {
        try (SpillStore store = store(folder, 0)) {
            for (final int size : new int[] {1, 4, 2}) {
                spill(store, "spill" + size, size * MIB);
            }
        }
        try (SpillStore store = store(folder, 1)) {
            final Spill two = spill(store, "a", 2 * MIB);
            final Spill largest = spill(store, "b", 8 * MIB);
            assertThat(Files.size(two.holder().orElseThrow())).isEqualTo(2 * MIB);
            assertThat(Files.size(largest.holder().orElseThrow())).isEqualTo(8 * MIB);
            assertThat(pool()).hasSize(1);
        }
    }

    @Test
    void keepsWhatACommittedAttemptHasUntilItsJobEnds() throws IOException {
        final Path holder;
        final FileLease lease = lease(folder, 0);
        try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
            spill(store, "spill0", MIB).delete();
            holder = spill(store, "output", MIB).holder().orElseThrow();
            lease.commit();
        }
        makeOld();
        folder.reclaimDead();
        assertThat(holder).hasSize(MIB);

        folder.reclaim(APP);
        assertThat(holder).doesNotExist();
        assertThat(folder.applications()).isEmpty();
        assertThat(pool()).hasSize(1);
    }

    private void makeOld() throws IOException {
        try (Stream<Path> attempts = Files.list(root.resolve("apps").resolve(APP))) {
            for (final Path attempt : attempts.toList()) {
                Files.setLastModifiedTime(attempt, FileTime.from(Instant.now().minusSeconds(600)));
            }
        }
    }

    @Test
    void leavesAloneWhatALiveTaskHas() throws IOException {
        try (SpillStore store = store(folder, 0)) {
            final Spill spill = spill(store, "spill0", MIB);
            makeOld();
            folder.reclaimDead();
            assertThat(spill.holder().orElseThrow()).exists();
        }
    }

    /** A real process, killed like a task that YARN ends: it leaves its lock and its files. */
    @Test
    void takesBackWhatAKilledProcessHasLeft() throws Exception {
        final Process task =
                new ProcessBuilder(TestJvm.command(List.of(), Holder.class, root.toString()))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        try (InputStream out = task.getInputStream()) {
            assertThat(out.read()).isEqualTo('r');
            makeOld();
            folder.reclaimDead();
            assertThat(pool()).isEmpty();

            task.destroyForcibly();
            assertThat(task.waitFor(1, TimeUnit.MINUTES)).isTrue();
            folder.reclaimDead();
        } finally {
            task.destroyForcibly();
        }
        assertThat(pool()).hasSize(1);
        assertThat(files(root.resolve("apps"))).isEmpty();
    }

    /** It may still write: no other task must get its files. */
    @Test
    void deletesWhatALiveTaskOfAnEndedJobHas() throws IOException {
        try (SpillStore store = store(folder, 0)) {
            final Spill spill = spill(store, "spill0", MIB);
            folder.reclaim(APP);
            assertThat(spill.holder().orElseThrow()).doesNotExist();
            assertThat(pool()).isEmpty();
        }
        assertThat(pool()).isEmpty();
    }

    /** Leases a file and waits. */
    static final class Holder {
        private Holder() {}

        public static void main(final String[] arguments) throws Exception {
            final Path root = Path.of(arguments[0]);
            final FilePool folder = FilePool.existing(root, LIMIT).orElseThrow();
            final SpillStore store =
                    FileSpillStore.ofFiles(
                            "memory", folder.lease(APP, ATTEMPT + "7_0", new FreeSpace(root, 0)));
            spill(store, "spill0", MIB);
            System.out.print('r');
            System.out.flush();
            TimeUnit.MINUTES.sleep(5);
        }
    }

    @Test
    void refusesASecondHolderOfAnAttempt() throws IOException {
        try (FileLease first = lease(folder, 0)) {
            assertThat(first).isNotNull();
            assertThatThrownBy(() -> lease(folder, 0))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
        }
    }

    @Test
    void isFullAtItsLimitButMakesRoomOfFilesThatNobodyHas() throws IOException {
        final FilePool small =
                FilePool.create(
                        directory.resolve("small").resolve("node"), 24 * MIB, Duration.ZERO);
        try (SpillStore store = store(small, 0)) {
            spill(store, "a", 10 * MIB);
            assertThatThrownBy(() -> spill(store, "b", 20 * MIB))
                    .isInstanceOf(StoreFullException.class)
                    .hasMessageContaining("limit=" + 24 * MIB);
        }
        try (SpillStore store = store(small, 1)) {
            spill(store, "c", 20 * MIB);
        }
        assertThat(small.usedBytes()).isLessThanOrEqualTo(24 * MIB);
    }

    /** What is cut off a pooled file is there for others at once, not only when it is complete. */
    @Test
    void cutsWhatItTakesWhereRoomIsShort() throws IOException {
        final FilePool small =
                FilePool.create(
                        directory.resolve("of-user").resolve("small"), 17L * MIB, Duration.ZERO);
        try (SpillStore first = store(small, 0)) {
            spill(first, "spill0", 16 * MIB).delete();
        }
        try (FileLease second = lease(small, 1);
                SpillFile one = second.open("spill0", 4L * MIB);
                SpillFile other = second.open("spill1", 10L * MIB)) {
            assertThat(one.data().length()).isEqualTo(4L * MIB);
            assertThat(other.data().length()).isLessThanOrEqualTo(10L * MIB);
            assertThat(small.usedBytes()).isLessThanOrEqualTo(17L * MIB);
        }
    }

    /** A NodeManager tries again where its folder could not be made. */
    @Test
    void isNobodysWhenItCouldNotBeMade() throws IOException {
        final Path other = directory.resolve("of-user").resolve("other");
        Files.createDirectory(other, PosixFilePermissions.asFileAttribute(OWNER_ONLY));
        Files.createFile(other.resolve("pool"));
        assertThatThrownBy(() -> FilePool.create(other, LIMIT, Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(other.toString());
        Files.delete(other.resolve("pool"));
        final FilePool made = FilePool.create(other, LIMIT, Duration.ZERO);
        assertThat(made.usedBytes()).isZero();
        made.release();
    }

    private void deleteFolder() throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (final Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Test
    void isMadeAgainWhereItWasDeletedUnderItsOwner() throws IOException {
        assertThat(folder.isWhole()).isTrue();
        deleteFolder();
        assertThat(folder.isWhole()).isFalse();

        final FilePool again = folder.makeAgain();
        assertThat(again.isWhole()).isTrue();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root)))
                .isEqualTo("rwx------");
        assertThat(FolderOwner.tryTake(root)).as("another owner").isEmpty();
        try (SpillStore store = FileSpillStore.ofFiles("memory", lease(again, 0))) {
            spill(store, "spill0", MIB);
            assertThat(again.usedBytes()).isEqualTo(MIB);
        }
        again.release();
    }

    @Test
    void isNotMadeAgainWhereOthersCouldWriteToIt() throws IOException {
        deleteFolder();
        Files.createDirectory(root);
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxrwxrwx"));
        assertThatThrownBy(folder::makeAgain)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("others can write to it");
        assertThat(folder.isWhole()).isFalse();
        Files.delete(root);

        folder.makeAgain().release();
    }

    @Test
    void aFolderWithoutItsOwnersFileOrAPartIsNotWhole() throws IOException {
        Files.delete(root.resolve("pool"));
        assertThat(folder.isWhole()).isFalse();
        final FilePool again = folder.makeAgain();
        Files.delete(root.resolve("owner"));
        assertThat(again.isWhole()).isFalse();
        again.makeAgain().release();
    }

    /** How long an owner that is gone is waited for counts from its last sign. */
    @Test
    void itsOwnerGivesSignsOfLife() throws IOException {
        final FileTime longAgo = FileTime.from(Instant.now().minus(Duration.ofDays(1)));
        final Path owner = root.resolve("owner");
        Files.setLastModifiedTime(owner, longAgo);
        folder.giveSign();
        assertThat(Files.getLastModifiedTime(owner))
                .isGreaterThan(FileTime.from(Instant.now().minus(Duration.ofHours(1))));
    }

    @Test
    void saysSoWhenAFileWasCutShort() throws IOException {
        for (final boolean mapped : new boolean[] {false, true}) {
            final FileLease lease = lease(folder, mapped ? 1 : 0);
            try (SpillStore store =
                    mapped
                            ? FileSpillStore.ofMappedFiles("nvm", lease, false, EmulatedNvm.OFF)
                            : FileSpillStore.ofFiles("memory", lease)) {
                final Spill spill = spill(store, "spill0", 2 * MIB);
                try (FileChannel other =
                        FileChannel.open(spill.holder().orElseThrow(), StandardOpenOption.WRITE)) {
                    other.truncate(MIB);
                }
                assertThatThrownBy(() -> spill.open(0, 2 * MIB).readAllBytes())
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining("cut short by someone else");
            }
        }
    }

    @Test
    void namesWhatItCannotUse() throws IOException {
        final Path file = Files.createFile(directory.resolve("file"));
        assertThatThrownBy(() -> FilePool.create(file.resolve("node"), LIMIT, Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(file.toString());
        final Path link = Files.createSymbolicLink(directory.resolve("link"), root.getParent());
        assertThatThrownBy(() -> FilePool.create(link.resolve("node"), LIMIT, Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("not a directory");
        assertThat(FilePool.existing(directory.resolve("nowhere"), LIMIT)).isEmpty();
    }

    @Test
    void letsNobodyElseLookInside() throws IOException {
        try (FileLease lease = lease(folder, 0)) {
            assertThat(lease).isNotNull();
            try (Stream<Path> all = Files.walk(root)) {
                assertThat(all.filter(Files::isDirectory)).hasSize(5).allMatch(this::isPrivate);
            }
        }
    }

    private boolean isPrivate(final Path path) {
        try {
            return PosixFilePermissions.toString(Files.getPosixFilePermissions(path))
                    .equals("rwx------");
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void closesAFolderThatOthersCanReadAndRefusesOneThatTheyCanWrite() throws IOException {
        folder.release();
        Files.createDirectory(root);
        Files.setPosixFilePermissions(root, PosixFilePermissions.fromString("rwxr-xr-x"));
        FilePool.create(root, LIMIT, Duration.ZERO).release();

        final Path open = Files.createDirectory(directory.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxrwx---"));
        assertThatThrownBy(() -> FilePool.create(open.resolve("node"), LIMIT, Duration.ZERO))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(open + " is rwxrwx---");
        assertThat(open.resolve("node")).doesNotExist();
    }

    /** A task that begins when its node has just stopped must not make the folder again. */
    @Test
    void doesNotMakeAFolderThatIsGone() {
        folder.release();
        assertThatThrownBy(() -> lease(folder, 0)).isInstanceOf(IOException.class);
        assertThat(root).doesNotExist();
    }

    /** The rename of a pooled file into it fails as when someone else has taken the file. */
    @Test
    @Timeout(60)
    void saysSoWhenTheAttemptsOwnFolderIsGone() throws IOException {
        try (SpillStore first = store(folder, 0)) {
            spill(first, "spill0", MIB);
        }
        try (SpillStore second = store(folder, 1)) {
            folder.reclaim(APP);
            assertThatThrownBy(() -> spill(second, "spill0", MIB))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("directory is gone");
        }
        assertThat(pool()).hasSize(1);
    }

    @Test
    void leavesAloneWhatIsNotItsOwn() throws IOException {
        final Path app = Files.createDirectory(root.resolve("apps").resolve("lost+found"));
        final Path file = Files.createFile(root.resolve("apps").resolve("notes.txt"));
        final Path pooled = Files.createDirectories(root.resolve("pool").resolve("a").resolve("b"));
        try (SpillStore store = store(folder, 0)) {
            spill(store, "spill0", MIB);
            assertThat(folder.applications()).containsExactly(APP);
            folder.reclaimDead();
        }
        try (SpillStore store = store(folder, 1)) {
            spill(store, "spill0", MIB);
        }
        assertThat(app).exists();
        assertThat(file).exists();
        assertThat(pooled).exists();
    }

    @Test
    void leavesNothingWhenItsOwnerLeaves() throws IOException {
        try (SpillStore store = store(folder, 0)) {
            spill(store, "spill0", MIB);
        }
        folder.release();
        assertThat(folder.root()).doesNotExist();
    }

    @Test
    void deletesWhatIsGivenBackOnceItIsDrained() throws IOException {
        try (SpillStore store = store(folder, 0)) {
            spill(store, "spill0", MIB);
            folder.drain();
            assertThat(FilePool.existing(root, LIMIT)).isEmpty();
            assertThat(folder.usedBytes()).isEqualTo(MIB);
        }
        assertThat(folder.usedBytes()).isZero();
    }

    @Test
    void drainsAroundWhatIsInUse() throws IOException {
        try (SpillStore store = store(folder, 0)) {
            final Spill spill = spill(store, "spill0", MIB);
            folder.drain();
            assertThat(folder.usedBytes()).isGreaterThanOrEqualTo(MIB);
            assertThat(spill.length()).isEqualTo(MIB);
        }
    }
}
