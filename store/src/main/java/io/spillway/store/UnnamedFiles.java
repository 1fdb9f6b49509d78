// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files that lose their name as soon as they are open: the system frees them when the task ends,
 * however it ends. No other process can open them. Thread-safe.
 */
public final class UnnamedFiles implements SpillFiles {
    private static final Logger LOG = LoggerFactory.getLogger(UnnamedFiles.class);

    private static final FileAttribute<?> OWNER_ONLY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    private final Path directory;
    private final FreeSpace room;
    private final List<SpillFile> open = new ArrayList<>();

    /**
     * Creates a source; the directory is used when the first file is opened.
     *
     * @param room says how much may be written there
     */
    public UnnamedFiles(final Path directory, final FreeSpace room) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.room = Objects.requireNonNull(room, "room");
    }

    @Override
    public SpillFile open(final String name, final long expectedBytes) throws IOException {
        room.require(expectedBytes);
        final Path path;
        try {
            path = Files.createTempFile(directory, ".spillway-", ".spill", OWNER_ONLY);
        } catch (final IOException e) {
            throw new IOException("cannot create a file in " + directory + ": " + e, e);
        }
        try {
            final SpillFile file =
                    new Unnamed(new RandomAccessFile(path.toFile(), "rw"), expectedBytes);
            remember(file);
            return file;
        } finally {
            Files.delete(path);
        }
    }

    private synchronized void remember(final SpillFile file) {
        open.add(file);
    }

    private synchronized void forget(final SpillFile file) {
        open.remove(file);
    }

    @Override
    public void close() {
        final List<SpillFile> left;
        synchronized (this) {
            left = List.copyOf(open);
        }
        left.forEach(SpillFile::close);
    }

    private final class Unnamed implements SpillFile {
        private final RandomAccessFile data;
        private final AtomicBoolean closed = new AtomicBoolean();
        private long granted;

        Unnamed(final RandomAccessFile data, final long granted) {
            this.data = data;
            this.granted = granted;
        }

        @Override
        public RandomAccessFile data() {
            return data;
        }

        @Override
        public void reserve(final long length) throws IOException {
            granted = room.grow(granted, length);
        }

        /** The system frees what lies beyond with the file. */
        @Override
        public void complete(final long length) {
            granted = length;
        }

        @Override
        public Optional<Path> path() {
            return Optional.empty();
        }

        @Override
        public void close() {
            if (!closed.compareAndSet(false, true)) {
                return;
            }
            forget(this);
            try {
                data.close();
            } catch (final IOException e) {
                LOG.debug("Closing a spill file in {} failed", directory, e);
            }
        }
    }
}
