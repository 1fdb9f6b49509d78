// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FreeSpaceTest {
    private static final Path SHARED_MEMORY = Path.of("/dev/shm");

    @TempDir private Path directory;

    @Test
    void leavesTheReserveFree() throws IOException {
        final long free = new FreeSpace(directory, 0).free();
        final FreeSpace room = new FreeSpace(directory, free - (1 << 20));

        assertThat(room.free()).isLessThan(free / 2);
        assertThatThrownBy(() -> room.require(free))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("bytes=" + free)
                .hasMessageContaining(directory.toString())
                .hasMessageContaining("reserve=");
    }

    @Test
    void countsTheHostsMemoryOnlyWherePagesOfFilesAreMemory() throws IOException {
        assertThat(new FreeSpace(directory, 0, () -> 17).free()).isGreaterThan(17);
        assumeThat(Files.isDirectory(SHARED_MEMORY)).isTrue();
        assertThat(new FreeSpace(SHARED_MEMORY, 0, () -> 17).free()).isEqualTo(17);
        assertThat(new FreeSpace(SHARED_MEMORY, 20, () -> 17).free()).isEqualTo(-3);
    }

    @Test
    void knowsThisHostsMemory() {
        assertThat(FreeSpace.memoryOfThisHost().getAsLong())
                .isBetween(1L << 20, Long.MAX_VALUE - 1);
    }

    @Test
    void growsInStepsAndNeverBelowWhatIsGranted() throws IOException {
        final FreeSpace room = new FreeSpace(directory, 0);
        assertThat(room.grow(100, 50)).isEqualTo(100);
        assertThat(room.grow(100, 101)).isEqualTo(100 + (8L << 20));
        assertThat(room.grow(0, 64L << 20)).isEqualTo(64L << 20);
    }

    @Test
    void tellsMemoryFromOtherFileSystems() throws IOException {
        FreeSpace.requireMemory(Path.of("/dev/shm"));
        assertThatThrownBy(() -> FreeSpace.requireMemory(Path.of("/proc")))
                .isInstanceOf(IOException.class)
                .hasMessage("/proc is on proc, expected tmpfs or ramfs");
    }

    @Test
    void whatFitsExactlyFits() throws IOException {
        final FreeSpace room = new FreeSpace(SHARED_MEMORY, 100, () -> 117);
        room.require(17);
        assertThatThrownBy(() -> room.require(18))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("free=17 (reserve=100)");
        assertThatThrownBy(() -> new FreeSpace(SHARED_MEMORY, 200, () -> 117).require(1))
                .hasMessageContaining("free=0 ");
    }

    @Test
    void whatIsGrantedIsNotAskedForAgain() throws IOException {
        final FreeSpace full = new FreeSpace(SHARED_MEMORY, 100, () -> 100);
        assertThat(full.grow(100, 100)).isEqualTo(100);
        assertThatThrownBy(() -> full.grow(100, 101))
                .isInstanceOf(StoreFullException.class)
                .hasMessageContaining("bytes=" + (8 << 20));
    }

    @Test
    void thisHostHasNoMoreMemoryThanIsBuiltIn() {
        final var system =
                (com.sun.management.OperatingSystemMXBean)
                        ManagementFactory.getOperatingSystemMXBean();
        assertThat(FreeSpace.memoryOfThisHost().getAsLong())
                .isBetween(system.getTotalMemorySize() / 1000, system.getTotalMemorySize() - 1);
    }
}
