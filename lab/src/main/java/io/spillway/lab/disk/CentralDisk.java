// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import java.nio.file.Path;

/**
 * An emulated disk of all hosts.
 *
 * @param bytesPerSecond that it takes from all processes together, at least 1 MiB
 * @param clock the file by which they agree on its time
 */
public record CentralDisk(long bytesPerSecond, Path clock) {
    /** The name of the rate, in bytes a second, with a unit where there is one. */
    public static final String RATE = "bench.central-disk.rate";

    /** The name of the clock's path. */
    public static final String CLOCK = "bench.central-disk.clock";

    /** What {@link #RATE} is where nothing is said. */
    public static final String DEFAULT_RATE = "200m";

    private static final long LEAST_RATE = 1 << 20;

    /** Checks the rate. */
    public CentralDisk {
        if (bytesPerSecond < LEAST_RATE) {
            throw new IllegalArgumentException(
                    RATE + "=" + bytesPerSecond + ": expected at least 1m, in bytes a second");
        }
    }
}
