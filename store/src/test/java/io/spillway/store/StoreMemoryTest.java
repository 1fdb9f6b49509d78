// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What YARN's physical-memory check adds up (ProcfsBasedProcessTree: the resident set) must not
 * grow with what a task has in a store: else the task is killed for it.
 */
class StoreMemoryTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final int SPILL_BYTES = 64 << 20;
    private static final int ALLOWED_BYTES = 16 << 20;
    private static final int PIECE = 128 << 10;

    static Stream<Named<SpillStore>> stores() {
        final FreeSpace room = new FreeSpace(SHARED_MEMORY, 0);
        return Stream.of(
                Named.of(
                        "by calls",
                        FileSpillStore.ofFiles("memory", new UnnamedFiles(SHARED_MEMORY, room))),
                Named.of(
                        "mapped",
                        FileSpillStore.ofMappedFiles(
                                "nvm",
                                new UnnamedFiles(SHARED_MEMORY, room),
                                false,
                                EmulatedNvm.OFF)));
    }

    /** Bytes of files and shared memory in this process's resident set. */
    private static long mappedBytes() throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith("RssFile") || line.startsWith("RssShmem"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
                .sum();
    }

    @ParameterizedTest
    @MethodSource("stores")
    void spillsAreNoMemoryOfTheTask(final SpillStore store) throws IOException {
        assumeThat(STATUS).exists();
        assumeThat(SHARED_MEMORY).isWritable();
        final byte[] piece = new byte[PIECE];
        try (store;
                SpillSink sink = store.create("spill", SPILL_BYTES)) {
            final long before = mappedBytes();
            long most = 0;
            for (int written = 0; written < SPILL_BYTES; written += PIECE) {
                sink.write(piece, 0, PIECE);
                most = Math.max(most, mappedBytes());
            }
            final Spill spill = sink.commit();
            try (InputStream in = spill.open(0, spill.length())) {
                while (in.read(piece) > 0) {
                    most = Math.max(most, mappedBytes());
                }
            }
            assertThat(most - before).isLessThan(ALLOWED_BYTES);
        }
    }
}
