// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.host.OwnUser;
import io.spillway.host.PrivateDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A directory of this process's user alone, in one that is set, with files that lose their name as
 * soon as they are open: the system frees them with the process, however that ends. Thread-safe.
 */
final class OverflowDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(OverflowDirectory.class);

    private static final String PREFIX = ".overflow-";

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** A process that was killed between the two steps has left an empty file. */
    private static final Duration STEPS = Duration.ofMinutes(10);

    private final Path directory;

    private OverflowDirectory(final Path directory) {
        this.directory = directory;
    }

    /**
     * Makes the directory, or checks the one that is there, and tries to write.
     *
     * @param parent exists, and this process's user may write to it
     * @throws IOException that names the directory and what is wrong
     */
    static OverflowDirectory in(final Path parent) throws IOException {
        if (!Files.isDirectory(parent)) {
            throw new IOException(parent + " is not a directory");
        }
        final OverflowDirectory made =
                new OverflowDirectory(parent.resolve("spillway-overflow-" + OwnUser.name()));
        made.open().close();
        made.deleteLeftOver();
        return made;
    }

    /** A new file without a name. May wait for a disk. */
    FileChannel open() throws IOException {
        try {
            PrivateDirectory.create(directory);
            final Path path = Files.createTempFile(directory, PREFIX, "", OWNER_ONLY);
            try {
                return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
            } finally {
                Files.delete(path);
            }
        } catch (final IOException e) {
            throw new IOException("cannot create a file in " + directory + ": " + e, e);
        }
    }

    private void deleteLeftOver() throws IOException {
        final List<Path> found;
        try (Stream<Path> entries = Files.list(directory)) {
            found = entries.filter(OverflowDirectory::isOurs).toList();
        }
        final Instant limit = Instant.now().minus(STEPS);
        for (final Path path : found) {
            try {
                if (Files.getLastModifiedTime(path).toInstant().isBefore(limit)) {
                    Files.delete(path);
                }
            } catch (final NoSuchFileException e) {
                LOG.debug("{} was deleted by another process", path, e);
            }
        }
    }

    private static boolean isOurs(final Path path) {
        return path.getFileName().toString().startsWith(PREFIX)
                && Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** The bytes that may be written now. */
    long free() throws IOException {
        return Files.getFileStore(directory).getUsableSpace();
    }

    @Override
    public String toString() {
        return directory.toString();
    }
}
