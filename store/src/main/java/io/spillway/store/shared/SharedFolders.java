// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.shared;

import io.spillway.ifile.shared.SharedOutputs;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders of jobs in a directory of a shared file system. They belong to the job's user alone;
 * where the directory has the set-group-id bit, also to its group: that of the nodes. Several
 * processes of several hosts make and delete them at a time. Thread-safe.
 */
public final class SharedFolders {
    private static final Logger LOG = LoggerFactory.getLogger(SharedFolders.class);

    private static final FileAttribute<Set<PosixFilePermission>> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private static final FileAttribute<Set<PosixFilePermission>> WITH_GROUP =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwx---"));

    private static final int SET_GROUP_ID = 02000;

    private final SharedOutputs outputs;

    /** Creates a view on a directory, which need not exist yet. */
    public SharedFolders(final SharedOutputs outputs) {
        this.outputs = Objects.requireNonNull(outputs, "outputs");
    }

    /**
     * Makes the folders of a job's maps on a host, where they are not there.
     *
     * @param stripes of the files in them
     * @throws IOException where one cannot be made, or is another user's
     */
    void make(final String job, final String host, final LustreStripes stripes) throws IOException {
        final FileAttribute<Set<PosixFilePermission>> access = access();
        final Path ofJob = outputs.job(job);
        if (make(ofJob, access)) {
            stripes.set(ofJob);
        }
        make(outputs.host(job, host), access);
    }

    private FileAttribute<Set<PosixFilePermission>> access() throws IOException {
        final int mode = (Integer) Files.getAttribute(outputs.directory(), "unix:mode");
        return (mode & SET_GROUP_ID) == 0 ? OWNER_ONLY : WITH_GROUP;
    }

    /** False where it was there. */
    private static boolean make(
            final Path folder, final FileAttribute<Set<PosixFilePermission>> access)
            throws IOException {
        try {
            Files.createDirectory(folder, access);
            return true;
        } catch (final FileAlreadyExistsException e) {
            LOG.debug("{} is there", folder, e);
            SharedOutputs.requireOwn(folder);
            return false;
        }
    }

    /** The directory. */
    public Path directory() {
        return outputs.directory();
    }

    /**
     * The last time that a file of a job came or went, by the file system's clock; the beginning of
     * time where nothing is there.
     */
    public Instant changed(final String job) throws IOException {
        final Path ofJob = outputs.job(job);
        Instant newest = Instant.MIN;
        final List<Path> all = new ArrayList<>(children(ofJob));
        all.add(ofJob);
        for (final Path folder : all) {
            try {
                final Instant time =
                        Files.getLastModifiedTime(folder, LinkOption.NOFOLLOW_LINKS).toInstant();
                newest = time.isAfter(newest) ? time : newest;
            } catch (final NoSuchFileException e) {
                LOG.debug("{} was deleted by another host", folder, e);
            }
        }
        return newest;
    }

    /** The bytes of a job's files. */
    public long bytes(final String job) throws IOException {
        long bytes = 0;
        for (final Path host : children(outputs.job(job))) {
            for (final Path file : children(host)) {
                bytes += file.toFile().length();
            }
        }
        return bytes;
    }

    /** The jobs that have folders; what else lies there is not ours. */
    public List<String> jobs() throws IOException {
        return children(outputs.directory()).stream()
                .filter(SharedFolders::isFolder)
                .map(folder -> folder.getFileName().toString())
                .filter(name -> name.startsWith(SharedOutputs.PREFIX))
                .map(name -> name.substring(SharedOutputs.PREFIX.length()))
                .filter(SharedOutputs::isPlain)
                .toList();
    }

    /**
     * Deletes the folder of a job's maps on a host, and the job's where no other is left in it.
     *
     * @return whether nothing is left of the job
     * @throws IOException where something cannot be deleted
     */
    public boolean delete(final String job, final String host) throws IOException {
        deleteFolder(outputs.host(job, host));
        return deleteIfEmpty(outputs.job(job));
    }

    /**
     * Deletes all of a job.
     *
     * @return whether nothing is left of it
     * @throws IOException where something cannot be deleted
     */
    public boolean delete(final String job) throws IOException {
        final Path ofJob = outputs.job(job);
        for (final Path host : children(ofJob)) {
            deleteFolder(host);
        }
        return deleteIfEmpty(ofJob);
    }

    /** What is no file of an output is not ours, and stays. */
    private static void deleteFolder(final Path folder) throws IOException {
        for (final Path file : children(folder)) {
            if (file.toString().endsWith(SharedOutputs.SUFFIX)) {
                Files.deleteIfExists(file);
            }
        }
        if (isFolder(folder)) {
            deleteIfEmpty(folder);
        }
    }

    private static boolean deleteIfEmpty(final Path folder) throws IOException {
        try {
            Files.deleteIfExists(folder);
            return true;
        } catch (final DirectoryNotEmptyException e) {
            LOG.debug("{} is still in use", folder, e);
            return false;
        }
    }

    private static boolean isFolder(final Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    private static List<Path> children(final Path folder) throws IOException {
        if (!isFolder(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.sorted().toList();
        } catch (final NoSuchFileException e) {
            LOG.debug("{} was deleted by another host", folder, e);
            return List.of();
        }
    }
}
