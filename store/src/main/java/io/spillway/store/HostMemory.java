// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The memory that a host could still give out, in bytes. Thread-safe. */
@FunctionalInterface
public interface HostMemory {
    /** The bytes available without swapping; {@link Long#MAX_VALUE} where the host does not say. */
    long available();

    /** {@code MemAvailable} of {@code /proc/meminfo}, or what this process's groups allow. */
    static HostMemory ofThisHost() {
        final HostMemory groups = CgroupMemory.ofThisProcess();
        return () -> Math.min(read(Path.of("/proc/meminfo")), groups.available());
    }

    private static long read(final Path file) {
        try {
            for (final String line : Files.readAllLines(file)) {
                if (line.startsWith("MemAvailable:")) {
                    return Long.parseLong(line.replaceAll("\\D", "")) << 10;
                }
            }
        } catch (final IOException e) {
            return Long.MAX_VALUE;
        }
        return Long.MAX_VALUE;
    }
}
