// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.ifile.shared.SharedOutputs;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.pool.AbandonedFolders;
import io.spillway.store.pool.FileLease;
import io.spillway.store.pool.FilePool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StoreCleanerTest {
    private static final int BYTES = 3_000_000;

    @TempDir private Path directory;

    private StoreCleaner cleaner() {
        final Map<String, String> settings =
                Map.of(
                        "spillway.store.memory.dir", directory.toString(),
                        "spillway.store.nvm.dir", directory.toString());
        return new StoreCleaner(settings::get);
    }

    private Path root() {
        return AbandonedFolders.ofUser(directory).resolve("memory-node-1");
    }

    /** A NodeManager's folder with a map output. */
    private FilePool folder() throws IOException {
        final FilePool folder = FilePool.create(root(), 1 << 30, Duration.ofMinutes(10));
        final FileLease lease =
                folder.lease("application_1_1", "attempt_1", new FreeSpace(directory, 0));
        try (SpillStore store = FileSpillStore.ofFiles("memory", lease);
                SpillSink sink = store.create("file.out", BYTES)) {
            sink.write(new byte[BYTES], 0, BYTES);
            sink.commit();
            lease.commit();
        }
        return folder;
    }

    @Test
    void saysWhatItFreesAndWhatItKeeps() throws IOException {
        final FilePool folder = folder();
        assertThat(cleaner().clean(true, false))
                .containsExactly(
                        root() + ": kept 3.0 MB: a living process owns it", "freed 0.0 MB in all");
        folder.release();

        assertThat(cleaner().clean(false, false))
                .hasSize(2)
                .first()
                .asString()
                .startsWith(root() + ": kept 3.0 MB: its NodeManager may come back within ");
        assertThat(cleaner().clean(true, true))
                .containsExactly(root() + ": would free 3.0 MB", "would free 3.0 MB in all");
        assertThat(root()).exists();
        assertThat(cleaner().clean(true, false))
                .containsExactly(root() + ": freed 3.0 MB", "freed 3.0 MB in all");
        assertThat(directory).isEmptyDirectory();
        assertThat(cleaner().clean(true, false)).containsExactly("freed 0.0 MB in all");
    }

    @Test
    void deletesWhatJobsThatAreLongGoneHaveLeftOnTheSharedFileSystem() throws IOException {
        final SharedOutputs outputs = new SharedOutputs(directory);
        for (final String job : List.of("job_1_1", "job_1_2")) {
            Files.createDirectories(outputs.host(job, "a"));
            Files.write(outputs.output(job, "a", "attempt_1"), new byte[BYTES]);
        }
        final FileTime old = FileTime.from(Instant.now().minus(Duration.ofHours(49)));
        Files.setLastModifiedTime(outputs.host("job_1_1", "a"), old);
        Files.setLastModifiedTime(outputs.job("job_1_1"), old);
        final StoreCleaner cleaner =
                new StoreCleaner(
                        Map.of(
                                        "spillway.store.memory.dir",
                                        "none",
                                        "spillway.store.lustre.dir",
                                        directory.toString())
                                ::get);
        final String kept = directory + ": job_1_2: kept 3.0 MB: changed within 48 h";

        assertThat(cleaner.cleanShared(Duration.ofDays(2), true))
                .containsExactly(directory + ": job_1_1: would free 3.0 MB", kept);
        assertThat(outputs.job("job_1_1")).exists();
        assertThat(cleaner.cleanShared(Duration.ofDays(2), false))
                .containsExactly(directory + ": job_1_1: freed 3.0 MB", kept);
        assertThat(outputs.job("job_1_1")).doesNotExist();
        assertThat(cleaner.cleanShared(Duration.ofDays(2), false)).containsExactly(kept);
        assertThat(cleaner().cleanShared(Duration.ofHours(1), false)).isEmpty();
    }
}
