// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.conf.InvalidSettingException;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.pool.FileLease;
import io.spillway.store.pool.FilePool;
import io.spillway.store.pool.OwnerSigns;
import io.spillway.store.pool.TierAdvertisement;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.AnnotatedElementContext;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.io.TempDirFactory;

class NodeStoresTest {
    private static final String APP = "application_1700000000000_0001";
    private static final int OUTPUT_BYTES = 100_000;

    private final Configuration conf = new Configuration(false);

    @TempDir private Path directory;

    @TempDir(factory = SharedMemory.class)
    private Path memory;

    private Path local;

    /** The memory tier has to be on tmpfs. */
    static final class SharedMemory implements TempDirFactory {
        @Override
        public Path createTempDirectory(
                final AnnotatedElementContext element, final ExtensionContext context)
                throws IOException {
            return Files.createTempDirectory(Path.of("/dev/shm"), "spillway-test-");
        }
    }

    @BeforeEach
    void configure() {
        local = directory.resolve("local");
        conf.set("yarn.nodemanager.local-dirs", local + "," + directory.resolve("second"));
        conf.set("spillway.store.memory.dir", memory.toString());
        conf.set("spillway.store.memory.limit", "64m");
    }

    private FilePool offered() throws IOException {
        return TierAdvertisement.readFrom(local).folder("memory").orElseThrow();
    }

    @Test
    void offersAnNvmTierWithTheLimitThatIsSet() throws IOException {
        conf.set("spillway.store.nvm.dir", directory.resolve("nvm").toString());
        conf.set("spillway.store.nvm.limit", "3m");
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            stores.offer(1);
            assertThat(TierAdvertisement.readFrom(local).folders().get("nvm").limit())
                    .isEqualTo(3L << 20);
        }
    }

    /** A committed map output in the node's memory. */
    private Path output() throws IOException {
        return output(0);
    }

    private Path output(final int map) throws IOException {
        final FilePool folder = offered();
        final FileLease lease =
                folder.lease(
                        APP,
                        "attempt_1700000000000_0001_m_00000" + map + "_0",
                        new FreeSpace(folder.root(), 0));
        try (FileSpillStore store = FileSpillStore.ofFiles("memory", lease);
                SpillSink sink = store.create("output", OUTPUT_BYTES)) {
            sink.write(new byte[OUTPUT_BYTES], 0, OUTPUT_BYTES);
            final Spill spill = sink.commit();
            lease.commit();
            return spill.holder().orElseThrow();
        }
    }

    @Test
    void tellsTasksInEveryLocalDirectory() throws IOException {
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            assertThat(TierAdvertisement.readFrom(local)).isEqualTo(TierAdvertisement.none());
            stores.offer(1);
            assertThat(stores.roots()).containsExactly(offered().root());
            assertThat(TierAdvertisement.readFrom(directory.resolve("second")))
                    .isEqualTo(TierAdvertisement.readFrom(local));
            assertThat(TierAdvertisement.readFrom(local).folders().get("memory").limit())
                    .isEqualTo(64L << 20);
        }
    }

    @Test
    void withdrawsItsOfferWhenItEnds() throws IOException {
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            stores.offer(1);
            assertThat(TierAdvertisement.readFrom(local).folders()).containsOnlyKeys("memory");
        }
        assertThat(TierAdvertisement.readFrom(local)).isEqualTo(TierAdvertisement.none());
    }

    /** Its own folder is not abandoned, however long the NodeManager was gone. */
    @Test
    void keepsTheOutputsOfRunningJobsWhenTheNodeManagerComesBackLate() throws IOException {
        conf.setBoolean("yarn.nodemanager.recovery.enabled", true);
        final Path output;
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            output = output();
        }
        OwnerSigns.age(output.resolve("../../../../owner").normalize(), Duration.ofHours(1));
        try (NodeStores stores = NodeStores.start(conf, APP::equals)) {
            assertThat(stores.roots()).isNotEmpty();
            assertThat(output).exists();
        }
    }

    @Test
    void takesBackTheOutputsOfAJobThatHasEnded() throws Exception {
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            final Path output = output();
            stores.reclaim("application_1700000000000_0002");
            assertThat(output).exists();
            stores.reclaim(APP);
            awaitGone(output);
        }
    }

    private static void await(final String what, final BooleanSupplier condition)
            throws InterruptedException {
        final long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("waiting for " + what).isLessThan(deadline);
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private static void awaitGone(final Path file) throws InterruptedException {
        await("the end of " + file, () -> !Files.exists(file));
    }

    /** Each of the files waits seconds for the folder's lock, which another process holds. */
    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void theDispatcherThatTellsOfAJobsEndDoesNotWaitForItsFiles() throws Exception {
        final int maps = 40;
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            final Path root = offered().root();
            final Path left = root.resolve("apps").resolve(APP);
            for (int map = 0; map < maps; map++) {
                output(map);
            }
            try (FileChannel lock =
                            FileChannel.open(root.resolve("lock"), StandardOpenOption.WRITE);
                    FileLock held = lock.lock()) {
                assertThat(held.isValid()).isTrue();
                stores.reclaim(APP);
                stores.reclaim("application_1700000000000_0002");
                assertThat(left).exists();
            }
            awaitGone(left);
        }
    }

    /** As systemd does with what a user has in shared memory, when the user logs out. */
    private void deleteAllOfTheUser() throws IOException {
        FileUtils.deleteDirectory(AbandonedFolders.ofUser(memory).toFile());
    }

    @Test
    void makesItsFolderAgainWhereItWasDeletedAndSaysSoOnce() throws Exception {
        try (LoggedLines log = new LoggedLines("io.spillway.hadoop.handler");
                NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            output();
            deleteAllOfTheUser();
            for (int look = 0; look < 5; look++) {
                stores.look();
            }
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains(stores.roots().get(0).toString(), "was deleted", "made again");
            assertThat(output()).exists();
            assertThat(stores.roots()).containsExactly(offered().root());
            stores.reclaim(APP);
            awaitGone(offered().root().resolve("apps").resolve(APP));
        }
        assertThat(memory).isEmptyDirectory();
    }

    @Test
    void saysOnceThatItsFolderCannotBeMadeAgain() throws Exception {
        try (LoggedLines log = new LoggedLines("io.spillway.hadoop.handler");
                NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            final Path user = AbandonedFolders.ofUser(memory);
            deleteAllOfTheUser();
            Files.createDirectory(user);
            Files.setPosixFilePermissions(user, PosixFilePermissions.fromString("rwxrwxrwx"));
            for (int look = 0; look < 5; look++) {
                stores.look();
            }
            assertThat(log.warnings())
                    .singleElement()
                    .asString()
                    .contains(user + " is rwxrwxrwx: others can write to it");
            assertThat(log.traces()).isZero();
            Files.delete(user);
            stores.look();
            assertThat(output()).exists();
        }
    }

    @Test
    void doesNotMakeAgainWhatItDeletesItself() throws Exception {
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            final Path root = offered().root();
            stores.beginStop();
            stores.look();
            assertThat(root.resolve("pool")).doesNotExist();
        }
        assertThat(memory).isEmptyDirectory();
    }

    @Test
    void keepsTheOutputsOfRunningJobsWhenTheNodeManagerIsStartedAgain() throws IOException {
        conf.setBoolean("yarn.nodemanager.recovery.enabled", true);
        final Path output;
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            output = output();
        }
        try (NodeStores stores = NodeStores.start(conf, APP::equals)) {
            assertThat(stores.roots()).isNotEmpty();
            assertThat(output).exists();
        }
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            assertThat(stores.roots()).isNotEmpty();
            assertThat(output).doesNotExist();
        }
    }

    @Test
    void freesMemoryThatNobodyHasWhenItEnds() throws Exception {
        final FilePool folder;
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            folder = offered();
            output();
            stores.reclaim(APP);
            awaitGone(folder.root().resolve("apps").resolve(APP));
            assertThat(folder.usedBytes()).isPositive();
        }
        assertThat(folder.root()).doesNotExist();
    }

    /** The NodeManager stops over its applications for seconds, and is killed then. */
    @Test
    void freesMemoryThatNobodyHasAsSoonAsItBeginsToStop() throws Exception {
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            final FilePool folder = offered();
            final Path output = output();
            stores.beginStop();
            assertThat(TierAdvertisement.readFrom(local)).isEqualTo(TierAdvertisement.none());
            assertThat(output).exists();
            stores.reclaim(APP);
            awaitGone(folder.root().resolve("apps").resolve(APP));
            assertThat(folder.usedBytes()).isZero();
        }
    }

    /** Without recovery no NodeManager knows the jobs of the one before it. */
    @Test
    void leavesNothingWhereItDoesNotRecover() throws IOException {
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            output();
        }
        assertThat(memory).isEmptyDirectory();
    }

    /** Someone made a directory there by hand: jobs are served all the same. */
    @Test
    void startsWhateverElseLiesInItsFolder() throws IOException {
        final Path stray;
        conf.setBoolean("yarn.nodemanager.recovery.enabled", true);
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            stores.offer(1);
            output();
            stray = Files.createDirectory(offered().root().resolve("apps").resolve("lost+found"));
        }
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            stores.offer(1);
            assertThat(offered().applications()).isEmpty();
            assertThat(offered().usedBytes()).isPositive();
        }
        assertThat(stray).exists();
    }

    /**
     * Another allocation of a batch system: other ports and directories, the same host and user.
     */
    @Test
    void reclaimsWhatANodeManagerOfOtherDirectoriesHasLeft() throws IOException {
        final Configuration before = new Configuration(conf);
        before.setBoolean("yarn.nodemanager.recovery.enabled", true);
        before.setLong("yarn.nm.liveness-monitor.expiry-interval-ms", 600_000);
        final Path output;
        try (NodeStores stores = NodeStores.start(before, application -> true)) {
            stores.offer(1);
            output = output();
        }
        conf.set("yarn.nodemanager.local-dirs", directory.resolve("other").toString());
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            assertThat(stores.roots()).isNotEmpty();
            assertThat(output).exists();
        }
        OwnerSigns.age(output.resolve("../../../../owner").normalize(), Duration.ofSeconds(611));
        try (NodeStores stores = NodeStores.start(conf, application -> true)) {
            assertThat(output).doesNotExist();
            assertThat(stores.roots()).isNotEmpty();
        }
        assertThat(memory).isEmptyDirectory();
    }

    @Test
    void offersNothingOfATierThatCannotBeUsedOrIsNotWanted() throws IOException {
        conf.set("spillway.store.memory.dir", directory.toString());
        conf.set("spillway.store.nvm.dir", Files.createFile(directory.resolve("file")).toString());
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            stores.offer(1);
            assertThat(stores.roots()).isEmpty();
            assertThat(TierAdvertisement.readFrom(local).folders()).isEmpty();
        }
    }

    @Test
    void offersNoMemoryWhereNoneIsWanted() throws IOException {
        conf.set("spillway.store.memory.dir", "none");
        try (NodeStores stores = NodeStores.start(conf, application -> false)) {
            assertThat(stores.roots()).isEmpty();
        }
    }

    @Test
    void offersNoMemoryWhereItsLimitIsZeroOrCannotBeHad() throws IOException {
        for (final String limit : List.of("0", "64t")) {
            conf.set("spillway.store.memory.limit", limit);
            try (NodeStores stores = NodeStores.start(conf, application -> false)) {
                stores.offer(1);
                assertThat(stores.roots()).isEmpty();
                assertThat(TierAdvertisement.readFrom(local).folders()).isEmpty();
            }
        }
    }

    @Test
    void namesAWrongSetting() {
        conf.set("spillway.store.memory.limit", "lots");
        assertThatThrownBy(() -> NodeStores.start(conf, application -> false))
                .isInstanceOf(InvalidSettingException.class)
                .hasMessageContaining("spillway.store.memory.limit=lots");
    }
}
