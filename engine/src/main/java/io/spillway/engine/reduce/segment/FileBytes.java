// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import java.io.EOFException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A segment in a file of its own, opened at the first read and deleted at the end. */
public final class FileBytes implements StoredBytes {
    private static final Logger LOG = LoggerFactory.getLogger(FileBytes.class);

    private final Path path;
    private RandomAccessFile file;

    public FileBytes(final Path path) {
        this.path = path;
    }

    @Override
    public void read(final long position, final byte[] target, final int offset, final int count)
            throws IOException {
        if (file == null) {
            file = new RandomAccessFile(path.toFile(), "r");
        }
        if (file.length() < position + count) {
            throw new EOFException(
                    this + " size=" + file.length() + ", expected " + (position + count));
        }
        file.seek(position);
        file.readFully(target, offset, count);
    }

    @Override
    public void close() {
        try {
            if (file != null) {
                file.close();
            }
        } catch (final IOException e) {
            LOG.warn("Closing {} failed", path, e);
        }
        delete(path);
    }

    /** Deletes a file, if it is there. Any thread. */
    public static void delete(final Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (final IOException e) {
            LOG.warn("Cannot delete {}", file, e);
        }
    }

    @Override
    public String toString() {
        return "map output on local disk: file=" + path;
    }
}
