// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.tier;

import io.spillway.store.Spill;
import io.spillway.store.SpillSink;
import io.spillway.store.SpillStore;
import io.spillway.store.tier.Tiers;
import io.spillway.thread.Uninterrupted;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.util.Objects;
import java.util.Optional;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.util.LimitInputStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Spills in the NodeManager's local directories, where stock puts them: {@code LocalDirAllocator}
 * chooses the directory, and {@code FileSystem}'s statistics count the bytes. One thread.
 */
public final class DiskSpillStore implements SpillStore {
    static final String NAME = Tiers.DISK.label();

    private static final Logger LOG = LoggerFactory.getLogger(DiskSpillStore.class);

    /** Writers gather big pieces themselves; and what is written can then always be read back. */
    private static final int UNBUFFERED = 1;

    /** Chooses the file of a spill, as {@code MapOutputFile.getSpillFileForWrite} does. */
    @FunctionalInterface
    public interface SpillFiles {
        /** A path in a local directory with room for {@code bytes}. */
        Path forWrite(int number, long bytes) throws IOException;
    }

    private final FileSystem fs;
    private final SpillFiles files;
    private int created;

    /**
     * Creates a store.
     *
     * @param fs the raw local file system (map output carries its own checksums)
     * @param files chooses the files
     */
    DiskSpillStore(final FileSystem fs, final SpillFiles files) {
        this.fs = fs;
        this.files = files;
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public SpillSink create(final String name, final long expectedBytes) throws IOException {
        // Without its native library Hadoop sets permissions by a command that it waits for.
        return Uninterrupted.call(
                () -> {
                    final Path path = files.forWrite(created++, expectedBytes);
                    return new FileSink(path, fs.create(path, true, UNBUFFERED));
                });
    }

    @Override
    public void close() {}

    private void deleteQuietly(final Path path) {
        try {
            fs.delete(path, false);
        } catch (final IOException e) {
            LOG.warn("Spill file {} stays until the application ends", path, e);
        }
    }

    private InputStream read(final Path path, final long offset, final long length)
            throws IOException {
        // Hadoop seeks by the file's channel, and then reads without it.
        return Uninterrupted.call(() -> new LimitInputStream(open(path, offset), length));
    }

    private FSDataInputStream open(final Path path, final long offset) throws IOException {
        final FSDataInputStream in = fs.open(path);
        try {
            in.seek(offset);
        } catch (final IOException e) {
            in.close();
            throw e;
        }
        return in;
    }

    private final class FileSink extends SpillSink {
        private final Path path;
        private final FSDataOutputStream out;
        private long position;
        private boolean ended;

        FileSink(final Path path, final FSDataOutputStream out) {
            super();
            this.path = path;
            this.out = out;
        }

        @Override
        public void write(final byte[] bytes, final int offset, final int length)
                throws IOException {
            requireOpen();
            out.write(bytes, offset, length);
            position += length;
        }

        private void requireOpen() throws IOException {
            if (ended) {
                throw new IOException("spill=" + path + " has ended");
            }
        }

        @Override
        public long position() {
            return position;
        }

        @Override
        public InputStream readBack() throws IOException {
            return read(path, 0, position);
        }

        @Override
        public Spill commit() throws IOException {
            requireOpen();
            out.close();
            final long length = fs.getFileStatus(path).getLen();
            if (length != position) {
                throw new IOException(
                        "Spill file " + path + ": length=" + length + ", expected " + position);
            }
            ended = true;
            return new FileSpill(path, position);
        }

        @Override
        public void abort() {
            if (ended) {
                return;
            }
            ended = true;
            try {
                out.close();
            } catch (final IOException e) {
                LOG.debug("Closing {} failed", path, e);
            }
            deleteQuietly(path);
        }
    }

    private final class FileSpill implements Spill {
        private final Path path;
        private final long length;

        FileSpill(final Path path, final long length) {
            this.path = path;
            this.length = length;
        }

        @Override
        public String store() {
            return NAME;
        }

        @Override
        public long length() {
            return length;
        }

        @Override
        public InputStream open(final long offset, final long count) throws IOException {
            Objects.checkFromIndexSize(offset, count, length);
            return read(path, offset, count);
        }

        @Override
        public Optional<java.nio.file.Path> file() {
            final java.nio.file.Path file = new File(path.toUri().getPath()).toPath();
            return Files.isRegularFile(file) ? Optional.of(file) : Optional.empty();
        }

        @Override
        public void delete() {
            deleteQuietly(path);
        }
    }
}
