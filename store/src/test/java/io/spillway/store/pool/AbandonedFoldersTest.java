// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.host.OwnUser;
import io.spillway.host.TestJvm;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.pool.AbandonedFolders.Found;
import io.spillway.store.pool.AbandonedFolders.Mode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Folders whose owners are real processes that are killed. */
@Timeout(120)
class AbandonedFoldersTest {
    private static final int MIB = 1 << 20;
    private static final long LIMIT = 64L * MIB;

    /** What an owner leaves: a committed output and a pooled file. */
    private static final long LEFT = 3L * MIB;

    @TempDir private Path directory;

    private AbandonedFolders all() {
        return new AbandonedFolders(directory);
    }

    private Path root(final String name) {
        return AbandonedFolders.ofUser(directory).resolve(name);
    }

    /** Java calls a user that the system has no name for a question mark. */
    @Test
    void theFolderOfAUserWithoutANameHasItsNumber() {
        final String user = System.setProperty("user.name", "?");
        try {
            assertThat(AbandonedFolders.ofUser(directory).getFileName())
                    .hasToString("spillway-" + OwnUser.name());
        } finally {
            System.setProperty("user.name", user);
        }
    }

    /** Starts an owner, or a task of its folder, and waits until it has its files. */
    private Process start(final String role, final String name, final Duration keep)
            throws IOException {
        final Process process =
                new ProcessBuilder(
                                TestJvm.command(
                                        List.of(),
                                        Holder.class,
                                        role,
                                        root(name).toString(),
                                        Long.toString(keep.toSeconds())))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        final InputStream out = process.getInputStream();
        assertThat(out.read()).isEqualTo('r');
        return process;
    }

    private static void kill(final Process process) throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    }

    /** A NodeManager, or a task. */
    static final class Holder {
        private Holder() {}

        public static void main(final String[] arguments) throws Exception {
            final Path root = Path.of(arguments[1]);
            if ("owner".equals(arguments[0])) {
                own(root, Duration.ofSeconds(Long.parseLong(arguments[2])));
            } else {
                final FileLease lease =
                        FilePool.existing(root, LIMIT)
                                .orElseThrow()
                                .lease(
                                        "application_1_2",
                                        "attempt_running",
                                        new FreeSpace(root, 0));
                write(FileSpillStore.ofFiles("memory", lease), 5 * MIB);
            }
            System.out.print('r');
            System.out.flush();
            TimeUnit.MINUTES.sleep(5);
        }

        private static void own(final Path root, final Duration keep) throws IOException {
            final FilePool folder = FilePool.create(root, LIMIT, keep);
            final FileLease lease =
                    folder.lease("application_1_1", "attempt_done", new FreeSpace(root, 0));
            try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
                write(store, 2 * MIB);
                lease.commit();
            }
            final FileLease other =
                    folder.lease("application_1_1", "attempt_gone", new FreeSpace(root, 0));
            try (SpillStore store = FileSpillStore.ofFiles("memory", other)) {
                write(store, MIB);
            }
        }

        private static void write(final SpillStore store, final int length) throws IOException {
            final SpillSink sink = store.create("file.out", length);
            sink.write(new byte[length], 0, length);
            sink.commit();
        }
    }

    private void assertNothingIsLeft() throws IOException {
        try (Stream<Path> left = Files.list(directory)) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void reclaimsWhatAKilledOwnerHasLeft() throws Exception {
        final Process owner = start("owner", "memory-node-1", Duration.ZERO);
        try {
            assertThat(all().reclaim(Mode.RECLAIM))
                    .containsExactly(
                            new Found(root("memory-node-1"), 0, LEFT, "a living process owns it"));
            kill(owner);
            assertThat(all().reclaim(Mode.LOOK))
                    .containsExactly(new Found(root("memory-node-1"), LEFT, 0, ""));
            assertThat(root("memory-node-1")).exists();
            assertThat(all().reclaim(Mode.RECLAIM))
                    .containsExactly(new Found(root("memory-node-1"), LEFT, 0, ""));
        } finally {
            owner.destroyForcibly();
        }
        assertNothingIsLeft();
        assertThat(all().reclaim(Mode.RECLAIM)).isEmpty();
    }

    @Test
    void waitsForAnOwnerThatMayComeBackAsLongAsItsFolderSays() throws Exception {
        kill(start("owner", "memory-node-1", Duration.ofMinutes(10)));

        final List<Found> kept = all().reclaim(Mode.RECLAIM);
        assertThat(kept).singleElement().extracting(Found::kept).isEqualTo(LEFT);
        assertThat(kept.get(0).reason()).startsWith("its NodeManager may come back within ");
        final FilePool back = FilePool.create(root("memory-node-1"), LIMIT, Duration.ofMinutes(10));
        assertThat(back.usedBytes()).isEqualTo(LEFT);
        assertThat(back.applications()).containsExactly("application_1_1");
        back.release();

        final Path sign = root("memory-node-1").resolve("owner");
        Files.setLastModifiedTime(sign, FileTime.from(Instant.now().minusSeconds(86_400)));
        assertThat(all().reclaim(Mode.RECLAIM)).as("after the clock was set").hasSize(1);
        assertThat(sign).exists();
        OwnerSigns.age(sign, Duration.ofSeconds(601));
        assertThat(all().reclaim(Mode.RECLAIM))
                .singleElement()
                .extracting(Found::kept)
                .isEqualTo(0L);
        assertNothingIsLeft();
    }

    /** At the end of a batch job the owner does not come back. */
    @Test
    void doesNotWaitWhereItIsToldThatNobodyComesBack() throws Exception {
        kill(start("owner", "memory-node-1", Duration.ofMinutes(10)));
        assertThat(all().reclaim(Mode.LOOK_WAITING))
                .containsExactly(new Found(root("memory-node-1"), LEFT, 0, ""));
        assertThat(all().reclaim(Mode.RECLAIM_WAITING))
                .containsExactly(new Found(root("memory-node-1"), LEFT, 0, ""));
        assertNothingIsLeft();
    }

    @Test
    void leavesAloneWhatATaskHasThatRunsOn() throws Exception {
        final Process owner = start("owner", "memory-node-1", Duration.ZERO);
        final Process task = start("task", "memory-node-1", Duration.ZERO);
        try {
            kill(owner);
            assertThat(all().reclaim(Mode.RECLAIM))
                    .containsExactly(
                            new Found(
                                    root("memory-node-1"),
                                    LEFT - MIB, // the task has the pooled file
                                    5L * MIB,
                                    "tasks that run hold it"));
            assertThat(FolderUsage.of(root("memory-node-1")).bytes()).isBetween(5L * MIB, 6L * MIB);
            kill(task);
            all().reclaim(Mode.RECLAIM);
            assertNothingIsLeft();
        } finally {
            owner.destroyForcibly();
            task.destroyForcibly();
        }
    }

    /** Two processes that both serve one folder would take back each other's files. */
    @Test
    void refusesAFolderWithALivingOwner() throws Exception {
        final Process owner = start("owner", "memory-node-1", Duration.ZERO);
        try {
            assertThatThrownBy(() -> FilePool.create(root("memory-node-1"), LIMIT, Duration.ZERO))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("in use");
        } finally {
            kill(owner);
        }
    }

    /** A version before there were owners may still run. */
    @Test
    void leavesAFolderWithoutOwnerForADay() throws IOException {
        Files.createDirectories(root("memory-node-1").resolve("pool"));
        Files.createDirectories(root("memory-node-1").resolve("apps"));
        assertThat(all().reclaim(Mode.RECLAIM))
                .singleElement()
                .extracting(Found::reason)
                .asString()
                .startsWith("it has no owner");
        final FileTime old = FileTime.from(Instant.now().minus(Duration.ofHours(25)));
        for (final String part : List.of("pool", "apps", "")) {
            Files.setLastModifiedTime(root("memory-node-1").resolve(part), old);
        }
        all().reclaim(Mode.RECLAIM);
        assertNothingIsLeft();
    }

    @Test
    void touchesNothingElse() throws IOException {
        final Path notes = Files.createDirectories(root("notes")).resolve("a");
        Files.writeString(notes, "mine");
        assertThat(all().reclaim(Mode.RECLAIM_WAITING)).isEmpty();
        assertThat(notes).hasContent("mine");
        assertThat(new AbandonedFolders(directory.resolve("nowhere")).reclaim(Mode.RECLAIM))
                .isEmpty();
    }

    private FilePool left(final String name, final Duration keep) throws IOException {
        final FilePool folder = FilePool.create(root(name), LIMIT, keep);
        final FileLease lease =
                folder.lease("application_1_1", "attempt_done", new FreeSpace(root(name), 0));
        try (SpillStore store = FileSpillStore.ofFiles("memory", lease)) {
            Holder.write(store, MIB);
            lease.commit();
        }
        return folder;
    }

    /** Its owner may come at any time: a process that looks must not block it. */
    @Test
    void whoHasLookedHoldsNothing() throws IOException {
        left("memory-node-1", Duration.ofMinutes(10)).release();
        for (final Mode mode : new Mode[] {Mode.LOOK, Mode.RECLAIM, Mode.LOOK_WAITING}) {
            assertThat(all().reclaim(mode)).hasSize(1);
            assertThat(PathLock.isHeld(root("memory-node-1").resolve("owner"))).isFalse();
        }
        assertThat(FolderUsage.of(root("memory-node-1")).bytes()).isGreaterThanOrEqualTo(MIB);
    }

    @Test
    void findsAllFoldersByName() throws IOException {
        for (final String name : List.of("nvm-b", "memory-c", "memory-a")) {
            left(name, Duration.ofMinutes(10)).release();
        }
        assertThat(all().reclaim(Mode.LOOK))
                .extracting(found -> found.root().getFileName().toString())
                .containsExactly("memory-a", "memory-c", "nvm-b");
        all().reclaim(Mode.RECLAIM_WAITING);
        assertNothingIsLeft();
    }

    /** It says what it would do, and does nothing. */
    @Test
    void whoLooksDeletesNotEvenWhatIsEmpty() throws IOException {
        Files.createDirectories(AbandonedFolders.ofUser(directory));
        assertThat(all().reclaim(Mode.LOOK)).isEmpty();
        assertThat(all().reclaim(Mode.LOOK_WAITING)).isEmpty();
        assertThat(AbandonedFolders.ofUser(directory)).exists();
        assertThat(all().reclaim(Mode.RECLAIM)).isEmpty();
        assertNothingIsLeft();
    }

    /** Another user may have made it, to have others' folders deleted. */
    @Test
    void aLinkIsNotFollowed() throws IOException {
        final Path elsewhere = Files.createDirectories(directory.resolve("elsewhere"));
        Files.createDirectories(elsewhere.resolve("memory-node-1").resolve("pool"));
        Files.createSymbolicLink(AbandonedFolders.ofUser(directory), elsewhere);
        assertThat(all().reclaim(Mode.LOOK_WAITING)).isEmpty();

        Files.delete(AbandonedFolders.ofUser(directory));
        Files.createDirectories(AbandonedFolders.ofUser(directory));
        Files.createSymbolicLink(root("memory-node-1"), elsewhere.resolve("memory-node-1"));
        assertThat(all().reclaim(Mode.RECLAIM_WAITING)).isEmpty();
        assertThat(elsewhere.resolve("memory-node-1").resolve("pool")).exists();
    }

    /** A version before there were owners has written to it within the day. */
    @Test
    void oneYoungFileKeepsAFolderWithoutOwner() throws IOException {
        final Path pool = Files.createDirectories(root("memory-node-1").resolve("pool"));
        final Path young = Files.createFile(pool.resolve("a"));
        final FileTime old = FileTime.from(Instant.now().minus(Duration.ofHours(25)));
        Files.setLastModifiedTime(pool, old);
        Files.setLastModifiedTime(root("memory-node-1"), old);

        assertThat(all().reclaim(Mode.RECLAIM)).hasSize(1);

        assertThat(young).exists();
        assertThat(root("memory-node-1").resolve("owner")).doesNotExist();
    }
}
