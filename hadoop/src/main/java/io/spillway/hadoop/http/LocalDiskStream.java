// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.http;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes a local file, and tells failures to write from failures to read what is written. */
final class LocalDiskStream extends OutputStream {
    /** The local disk's fault, not the node's. */
    static final class DiskException extends IOException {
        private static final long serialVersionUID = 1L;

        DiskException(final IOException cause) {
            super("Cannot write map output to local disk: " + cause.getMessage(), cause);
        }
    }

    private final OutputStream out;

    LocalDiskStream(final Path file) throws DiskException {
        super();
        try {
            this.out = Files.newOutputStream(file);
        } catch (final IOException e) {
            throw new DiskException(e);
        }
    }

    @Override
    public void write(final int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        try {
            out.write(bytes, offset, length);
        } catch (final IOException e) {
            throw new DiskException(e);
        }
    }

    @Override
    public void close() throws IOException {
        try {
            out.close();
        } catch (final IOException e) {
            throw new DiskException(e);
        }
    }
}
