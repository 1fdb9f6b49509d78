// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import io.spillway.store.EmulatedNvm;
import io.spillway.store.FileSpillStore;
import io.spillway.store.FreeSpace;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.UnnamedFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A folder in shared memory and the writing of map outputs of 64 MiB into it, 1 GiB a job, each as
 * a map task would. One thread.
 */
class OutputsInMemory {
    static final int OUTPUTS = 16;
    private static final int OUTPUT_BYTES = 64 << 20;
    private static final int PIECE = 128 << 10;
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    private final byte[] piece = new byte[PIECE];
    private final Path directory;
    private final FilePool folder;

    OutputsInMemory() throws IOException {
        directory = Files.createTempDirectory(SHARED_MEMORY, "spillway-benchmark-");
        folder =
                FilePool.create(directory.resolve("user").resolve("node"), 2L << 30, Duration.ZERO);
    }

    SpillStore fresh() throws IOException {
        return FileSpillStore.ofFiles("memory", new UnnamedFiles(directory, room()));
    }

    SpillStore recycled(final String application, final int map) throws IOException {
        return FileSpillStore.ofFiles("memory", lease(application, map));
    }

    SpillStore recycledAndMapped(final String application, final int map) throws IOException {
        return FileSpillStore.ofMappedFiles("nvm", lease(application, map), false, EmulatedNvm.OFF);
    }

    private FileLease lease(final String application, final int map) throws IOException {
        return lease(application, "attempt_" + map);
    }

    /** What an attempt has of the folder. */
    FileLease lease(final String application, final String attempt) throws IOException {
        return folder.lease(application, attempt, room());
    }

    /** Looks after the folder, as its owner does. */
    void look() throws IOException {
        folder.reclaimDead();
    }

    /** Where applications have their files. */
    Path applications() {
        return folder.root().resolve(FilePool.APPS);
    }

    private FreeSpace room() {
        return new FreeSpace(directory, 0);
    }

    /** Takes back what an application had leased. */
    void reclaim(final String application) throws IOException {
        folder.reclaim(application);
    }

    /** Writes one map output. */
    void write(final SpillStore store) throws IOException {
        try (SpillSink sink = store.create("output", OUTPUT_BYTES)) {
            for (int at = 0; at < OUTPUT_BYTES; at += PIECE) {
                sink.write(piece, 0, PIECE);
            }
            sink.commit();
        }
    }

    /** Deletes the folder. */
    void delete() throws IOException {
        try (Stream<Path> all = Files.walk(directory)) {
            final List<Path> paths = all.sorted(Comparator.reverseOrder()).toList();
            for (final Path path : paths) {
                Files.delete(path);
            }
        }
    }
}
