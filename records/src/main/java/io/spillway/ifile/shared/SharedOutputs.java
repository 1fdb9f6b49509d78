// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import io.spillway.host.OwnUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Objects;
import java.util.regex.Pattern;

/**
 * Where map outputs lie in a directory of a shared file system: {@code
 * DIRECTORY/spillway-JOB/HOST/OUTPUT.out}. Whoever knows a job, an output and the host of its map
 * computes the place without a question. A folder for each host keeps folders short, and a file
 * system with several metadata servers can spread them. Immutable.
 *
 * <p>Names of jobs, hosts and outputs are those that the framework tells reducers. They must be
 * plain names: letters, digits and {@code . _ : % -} of ASCII, the first a letter or digit, at most
 * 200 characters.
 *
 * @param directory of all jobs
 */
public record SharedOutputs(Path directory) {
    /** What the name of an output's file adds to that of the output. */
    public static final String SUFFIX = ".out";

    /** What the name of a job's folder begins with: other things may lie beside it. */
    public static final String PREFIX = "spillway-";

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:%-]{0,199}");

    /** Checks the argument. */
    public SharedOutputs {
        Objects.requireNonNull(directory, "directory");
    }

    /** Whether a name can be a part of a place. */
    public static boolean isPlain(final String name) {
        return PLAIN.matcher(name).matches();
    }

    /**
     * The folder of a job.
     *
     * @throws IllegalArgumentException for a name that is not plain
     */
    public Path job(final String job) {
        return directory.resolve(PREFIX + plain("job", job));
    }

    /**
     * The folder of a job's maps on one host.
     *
     * @param host the map's, as reducers learn it, without a port
     * @throws IllegalArgumentException for a name that is not plain
     */
    public Path host(final String job, final String host) {
        return job(job).resolve(plain("host", host));
    }

    /**
     * The file of an output.
     *
     * @param output its id: MapReduce's is the id of the map attempt
     * @throws IllegalArgumentException for a name that is not plain
     */
    public Path output(final String job, final String host, final String output) {
        return host(job, host).resolve(plain("output", output) + SUFFIX);
    }

    /** Whether a path is that of an output, on any host. The path is not normalized. */
    public boolean isPlaceOf(final Path file, final String job, final String output) {
        final Path host = file.getParent();
        return host != null
                && host.getFileName() != null
                && isPlain(host.getFileName().toString())
                && file.equals(output(job, host.getFileName().toString(), output));
    }

    private static String plain(final String field, final String name) {
        if (!isPlain(name)) {
            throw new IllegalArgumentException(
                    field + "=" + name + ", expected a name that matches " + PLAIN);
        }
        return name;
    }

    /**
     * Insists that a job's folders are this user's: where all may make folders in the directory,
     * somebody else could have made one of a job to come. To be called once for a job and host,
     * before files there are trusted; what lies in such folders was put there by the user, or by a
     * node whose group they belong to.
     *
     * @throws java.nio.file.NoSuchFileException where there is none
     * @throws IOException that names the folder, its owner and permissions
     */
    public void requireOwn(final String job, final String host) throws IOException {
        requireOwn(job(job));
        requireOwn(host(job, host));
    }

    /**
     * Insists that a folder is a folder, belongs to this process's user, and lets in no other users
     * but those of its group. One look at the file system.
     *
     * @throws java.nio.file.NoSuchFileException where there is none
     * @throws IOException that names the folder, its owner and permissions
     */
    public static void requireOwn(final Path folder) throws IOException {
        final PosixFileAttributes found =
                Files.readAttributes(folder, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        final boolean isOpen = found.permissions().contains(PosixFilePermission.OTHERS_WRITE);
        if (!found.isDirectory() || isOpen || !found.owner().getName().equals(OwnUser.name())) {
            throw new IOException(
                    folder
                            + ": isDirectory="
                            + found.isDirectory()
                            + " owner="
                            + found.owner()
                            + " permissions="
                            + found.permissions()
                            + ", expected a directory of "
                            + OwnUser.name()
                            + " that others cannot write to. Delete it, or give the job another"
                            + " directory");
        }
    }
}
