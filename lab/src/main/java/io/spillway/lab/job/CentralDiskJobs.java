// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.job;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.run.JobSpec;
import io.spillway.cli.site.HadoopSite;
import io.spillway.conf.Sizes;
import io.spillway.lab.disk.CentralDisk;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Jobs whose tasks keep what is between map and reduce on a {@link CentralDisk}. */
public final class CentralDiskJobs {
    /** By its name: a command has no class of Hadoop. */
    private static final String FILE_SYSTEM = "io.spillway.lab.disk.CentralDiskFileSystem";

    private static final String CLOCK_FILE = "central-disk.clock";
    private static final String CLASS_PATH = "mapreduce.application.classpath";

    private CentralDiskJobs() {}

    /** The same job, whose tasks have the disk; its own properties win. */
    public static JobSpec on(final HadoopSite site, final JobSpec job) {
        final Map<String, String> properties =
                new TreeMap<>(properties(site.jobsFolder(), LabJar.path()));
        // The ApplicationMaster of a program of Hadoop's examples jar does not find the file
        // system among the job's libraries (tmpjars).
        site.property(CLASS_PATH)
                .ifPresent(path -> properties.put(CLASS_PATH, path + "," + LabJar.path()));
        properties.putAll(job.properties());
        return job.with(properties).with(LabJar.path());
    }

    /**
     * Properties of such a job.
     *
     * @param folder that tasks on all hosts see
     * @param jar with the file system, which the job's tasks get
     */
    public static Map<String, String> properties(final Path folder, final Path jar) {
        return Map.of(
                "fs.file.impl",
                FILE_SYSTEM,
                "tmpjars",
                jar.toUri().toString(),
                CentralDisk.CLOCK,
                folder.resolve(CLOCK_FILE).toAbsolutePath().toString());
    }

    /**
     * The bytes a second that a job's properties ask for.
     *
     * @throws BadInputException when they are no size
     */
    public static long rate(final Map<String, String> properties) {
        final String rate = properties.getOrDefault(CentralDisk.RATE, CentralDisk.DEFAULT_RATE);
        try {
            return Sizes.parse(rate);
        } catch (final IllegalArgumentException e) {
            throw new BadInputException(
                    CentralDisk.RATE + "=" + rate + ": " + e.getMessage() + ", as 200m");
        }
    }
}
