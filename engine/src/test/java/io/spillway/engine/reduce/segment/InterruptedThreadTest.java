// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.engine.reduce.thread.SystemThreads;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job's code has left its thread interrupted: it still gets its records. */
class InterruptedThreadTest {
    @TempDir private Path folder;

    @BeforeEach
    void interrupt() {
        Thread.currentThread().interrupt();
    }

    @AfterEach
    void clear() {
        Thread.interrupted();
    }

    @Test
    void waitsForAChunk() throws Exception {
        final ChunkQueue queue = new ChunkQueue();
        final Thread source =
                new Thread(
                        () -> {
                            while (!queue.isAwaited()) {
                                Thread.onSpinWait();
                            }
                            queue.end();
                        });
        source.start();
        final StallClock stalls = new StallClock(() -> {}, new SystemThreads(), () -> true);

        assertThat(queue.take(stalls)).isNull();

        assertThat(Thread.interrupted()).isTrue();
        source.join();
    }

    @Test
    void readsASegmentInAFile() throws Exception {
        final byte[] bytes = {1, 2, 3, 4, 5};
        final Path file = folder.resolve("segment");
        Thread.interrupted();
        Files.write(file, bytes);
        interrupt();
        final byte[] read = new byte[bytes.length];
        try (FileBytes stored = new FileBytes(file)) {
            stored.read(0, read, 0, 2);
            stored.read(2, read, 2, 3);
        }
        assertThat(read).isEqualTo(bytes);
        assertThat(Thread.currentThread().isInterrupted()).isTrue();
    }
}
