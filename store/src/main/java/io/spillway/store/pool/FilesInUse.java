// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The files below a folder that processes of this host had open at one moment, as the kernel lists
 * them in {@code /proc}. Processes of other users are not seen: the folder is to be one that only
 * its owner can look into. Immutable.
 */
final class FilesInUse {
    /** Where nothing is known: every file may be open. */
    static final FilesInUse ALL = new FilesInUse(null);

    private static final Logger LOG = LoggerFactory.getLogger(FilesInUse.class);
    private static final Path PROCESSES = Path.of("/proc");

    /** Null for all. */
    private final Set<Path> files;

    private FilesInUse(final Set<Path> files) {
        this.files = files;
    }

    /** Looks at all processes; {@link #ALL} where that is not possible. */
    static FilesInUse below(final Path folder) {
        final Set<Path> files = new HashSet<>();
        final String self = Long.toString(ProcessHandle.current().pid());
        boolean seesItself = false;
        try (DirectoryStream<Path> processes =
                Files.newDirectoryStream(PROCESSES, FilesInUse::isProcess)) {
            final Path real = folder.toRealPath();
            for (final Path process : processes) {
                final boolean isSeen = addOpenFiles(process.resolve("fd"), real, files);
                seesItself |= isSeen && process.endsWith(self);
            }
        } catch (final IOException | DirectoryIteratorException e) {
            LOG.debug("The files that are open below {} are not known", folder, e);
            return ALL;
        }
        return seesItself ? new FilesInUse(files) : ALL;
    }

    private static boolean isProcess(final Path entry) {
        return Character.isDigit(entry.getFileName().toString().charAt(0));
    }

    /** False for a process that has ended, or is another user's. */
    private static boolean addOpenFiles(
            final Path descriptors, final Path folder, final Set<Path> files) {
        try (DirectoryStream<Path> open = Files.newDirectoryStream(descriptors)) {
            for (final Path descriptor : open) {
                addTarget(descriptor, folder, files);
            }
            return true;
        } catch (final IOException | DirectoryIteratorException e) {
            LOG.trace("{} cannot be read", descriptors, e);
            return false;
        }
    }

    private static void addTarget(final Path descriptor, final Path folder, final Set<Path> files) {
        try {
            final Path target = Files.readSymbolicLink(descriptor);
            if (target.startsWith(folder)) {
                files.add(target);
            }
        } catch (final IOException e) {
            LOG.trace("{} was closed meanwhile", descriptor, e);
        }
    }

    /** Whether a file was open; true where that cannot be said. */
    boolean contains(final Path file) throws IOException {
        return files == null || files.contains(file.toRealPath());
    }
}
