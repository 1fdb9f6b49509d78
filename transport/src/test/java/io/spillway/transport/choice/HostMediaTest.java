// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.choice;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMediaTest {
    @TempDir private Path folder;

    private HostMedia media() {
        return new HostMedia(folder.resolve("infiniband"), folder.resolve("shm"));
    }

    private void port(final String device, final String port, final String state)
            throws IOException {
        final Path ports = folder.resolve("infiniband").resolve(device).resolve("ports");
        Files.createDirectories(ports.resolve(port));
        Files.writeString(ports.resolve(port).resolve("state"), state);
    }

    @Test
    void findsPortsWhoseLinkIsUp() throws IOException {
        assertThat(media().activeRdmaPorts()).isEmpty();
        port("mlx5_1", "1", "4: ACTIVE\n");
        port("mlx5_0", "2", "4: ACTIVE\n");
        port("mlx5_0", "1", "1: DOWN\n");
        port("mlx5_2", "1", "2: INIT\n");
        Files.createDirectories(folder.resolve("infiniband/no-ports"));

        assertThat(media().activeRdmaPorts()).containsExactly("mlx5_0:2", "mlx5_1:1");
    }

    @Test
    void aDeviceThatCannotBeReadIsNone() throws IOException {
        port("mlx5_0", "1", "4: ACTIVE\n");
        Files.createDirectories(folder.resolve("infiniband/broken/ports/1"));

        assertThat(media().activeRdmaPorts()).containsExactly("mlx5_0:1");
    }

    @Test
    void sharedMemoryIsAFolderToWriteTo() throws IOException {
        assertThat(media().hasSharedMemory()).isFalse();
        Files.createDirectories(folder.resolve("shm"));
        assertThat(media().hasSharedMemory()).isTrue();
    }

    @Test
    void knowsThisHostsAddresses() {
        assertThat(media().isThisHost("127.0.0.1")).isTrue();
        assertThat(media().isThisHost("127.3.2.1")).isTrue();
        assertThat(media().isThisHost("localhost")).isTrue();
        assertThat(media().isThisHost("192.0.2.1")).isFalse(); // an address for documentation
        // Longer than a name may be: no resolver is asked, whose answer could take long.
        assertThat(media().isThisHost("x".repeat(64) + ".invalid")).isFalse();
    }
}
