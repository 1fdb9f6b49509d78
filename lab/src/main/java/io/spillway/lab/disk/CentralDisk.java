// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import io.spillway.cli.failure.BadInputException;
import io.spillway.conf.Sizes;
import java.nio.file.Path;
import java.util.Map;

/**
 * An emulated disk of all hosts, as properties of a job.
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

    /** By its name: a command has no class of Hadoop. */
    private static final String FILE_SYSTEM = "io.spillway.lab.disk.CentralDiskFileSystem";

    private static final String CLOCK_FILE = "central-disk.clock";
    private static final long LEAST_RATE = 1 << 20;

    /** Checks the rate. */
    public CentralDisk {
        if (bytesPerSecond < LEAST_RATE) {
            throw new BadInputException(
                    RATE + "=" + bytesPerSecond + ": expected at least 1m, in bytes a second");
        }
    }

    /**
     * Properties of a job whose tasks keep what is between map and reduce on the disk.
     *
     * @param folder that tasks on all hosts see
     * @param jar with this package, which the job's tasks get
     */
    public static Map<String, String> jobProperties(final Path folder, final Path jar) {
        return Map.of(
                "fs.file.impl",
                FILE_SYSTEM,
                "tmpjars",
                jar.toUri().toString(),
                CLOCK,
                folder.resolve(CLOCK_FILE).toAbsolutePath().toString());
    }

    /**
     * The bytes a second that a job's properties ask for.
     *
     * @throws BadInputException when they are no size
     */
    public static long rate(final Map<String, String> properties) {
        final String rate = properties.getOrDefault(RATE, DEFAULT_RATE);
        try {
            return Sizes.parse(rate);
        } catch (final IllegalArgumentException e) {
            throw new BadInputException(RATE + "=" + rate + ": " + e.getMessage() + ", as 200m");
        }
    }
}
