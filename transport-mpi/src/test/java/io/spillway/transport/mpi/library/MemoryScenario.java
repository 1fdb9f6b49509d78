// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.library;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.stream.Stream;

/** Shared memory, with MPI loaded and not initialised. */
final class MemoryScenario {
    private static final int SIZE = 1 << 16;
    private static final String NAME = "spillway-test";

    void run() throws Exception {
        isSeenByOtherProcesses();
        keepsItsSize();
        livesOnInAMapping();
        leavesNothing();
        assertThatThrownBy(() -> SharedMemory.create("long".repeat(100), SIZE))
                .isInstanceOf(IOException.class)
                .hasMessage("memfd_create: Invalid argument");
        assertThatThrownBy(() -> SharedMemory.create(NAME, 0))
                .isInstanceOf(IllegalArgumentException.class);
    }

    private static int command(final String... command) throws Exception {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static void isSeenByOtherProcesses() throws Exception {
        try (SharedMemory memory = SharedMemory.create(NAME, SIZE)) {
            final ByteBuffer bytes = memory.bytes();
            assertThat(bytes.isDirect()).isTrue();
            assertThat(bytes.remaining()).isEqualTo(SIZE);
            assertThat(bytes.getLong(SIZE - 8)).isZero();
            bytes.putLong(0, 0x4142434445464748L);
            final int code =
                    command(
                            "dd",
                            "if=" + memory.path(),
                            "of=" + memory.path(),
                            "bs=8",
                            "count=1",
                            "seek=100",
                            "conv=notrunc");
            assertThat(code).isZero();
            assertThat(bytes.getLong(800)).isEqualTo(0x4142434445464748L);
        }
    }

    private static void keepsItsSize() throws Exception {
        try (SharedMemory memory = SharedMemory.create(NAME, SIZE)) {
            assertThat(command("truncate", "-s", "0", memory.path())).isNotZero();
            assertThat(command("truncate", "-s", "1M", memory.path())).isNotZero();
            assertThat(Files.size(Path.of(memory.path()))).isEqualTo(SIZE);
            assertThat(memory.bytes().getLong(SIZE - 8)).isZero();
        }
    }

    private static void livesOnInAMapping() throws IOException {
        final SharedMemory memory = SharedMemory.create(NAME, SIZE);
        final Path path = Path.of(memory.path());
        try (FileChannel file =
                FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            final ByteBuffer mapped = file.map(FileChannel.MapMode.READ_WRITE, 0, SIZE);
            mapped.putInt(8, 4711);
            assertThat(memory.bytes().getInt(8)).isEqualTo(4711);
            memory.bytes().putInt(12, 17);
            memory.close();
            memory.close();
            assertThat(mapped.getInt(12)).isEqualTo(17);
        }
        assertThat(path).doesNotExist();
        assertThatThrownBy(memory::bytes).isInstanceOf(IllegalStateException.class);
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(MemoryScenario::isMemory).count();
        }
    }

    private static boolean isMemory(final Path descriptor) {
        try {
            return Files.readSymbolicLink(descriptor).toString().contains("leavesNothing");
        } catch (final IOException e) {
            return false;
        }
    }

    private static void leavesNothing() throws IOException {
        final SharedMemory kept = SharedMemory.create("leavesNothing", SIZE);
        for (int i = 0; i < 2_000; i++) {
            SharedMemory.create("leavesNothing", SIZE).close();
        }
        assertThat(descriptors()).isEqualTo(1);
        try (Stream<String> maps = Files.lines(Path.of("/proc/self/maps"))) {
            assertThat(maps.filter(line -> line.contains("leavesNothing"))).hasSize(1);
        }
        kept.close();
        assertThat(descriptors()).isZero();
    }
}
