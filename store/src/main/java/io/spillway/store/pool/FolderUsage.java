// SPDX-License-Identifier: Apache-2.0
package io.spillway.store.pool;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * What the files of a {@link FilePool} take. Immutable.
 *
 * @param bytes of all files, in whole pages; a file that is being written counts with what it was
 *     granted
 * @param unwritten the bytes of them that are granted and not written yet
 * @param granted the bytes granted to files that are being written, written or not
 * @param leasable the number of files that hold data of tasks, or may
 */
record FolderUsage(long bytes, long unwritten, long granted, long leasable) {
    private static final long PAGE = 4096;

    /** Nothing. */
    static final FolderUsage NONE = new FolderUsage(0, 0, 0, 0);

    /** Rounds up to whole pages. */
    static long pages(final long length) {
        return (length + PAGE - 1) / PAGE * PAGE;
    }

    private FolderUsage plus(final Path file, final long length) {
        final long grant = LeasedName.granted(file);
        final boolean isLent = LeasedName.isLent(file);
        return new FolderUsage(
                bytes + pages(isLent ? LeasedName.lent(file) : Math.max(length, grant)),
                unwritten + Math.max(0, grant - length),
                granted + grant,
                leasable + (isLent || LeasedName.isData(file) ? 1 : 0));
    }

    /** Adds up all files below a folder; those that come or go meanwhile may count or not. */
    static FolderUsage of(final Path folder) throws IOException {
        final Sum sum = new Sum();
        Files.walkFileTree(folder, sum);
        return sum.usage;
    }

    private static final class Sum extends SimpleFileVisitor<Path> {
        private FolderUsage usage = NONE;

        @Override
        public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes) {
            if (attributes.isRegularFile()) {
                usage = usage.plus(file, attributes.size());
            }
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFileFailed(final Path file, final IOException failure) {
            return FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult postVisitDirectory(final Path directory, final IOException failure) {
            return FileVisitResult.CONTINUE;
        }
    }
}
