// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.disk;

import java.io.IOException;
import java.io.OutputStream;

/** A file on a disk that is shared. One thread. */
final class DiskOutput extends OutputStream {
    /** A wait for fewer bytes is shorter than a sleep can be. */
    private static final int BYTES_AT_ONCE = 256 << 10;

    private final OutputStream out;
    private final DiskClock clock;
    private long owed;

    DiskOutput(final OutputStream out, final DiskClock clock) {
        this.out = out;
        this.clock = clock;
    }

    @Override
    public void write(final int value) throws IOException {
        out.write(value);
        owe(1);
    }

    @Override
    public void write(final byte[] bytes, final int offset, final int length) throws IOException {
        out.write(bytes, offset, length);
        owe(length);
    }

    private void owe(final int bytes) throws IOException {
        owed += bytes;
        if (owed >= BYTES_AT_ONCE) {
            pay();
        }
    }

    private void pay() throws IOException {
        clock.take(owed);
        owed = 0;
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }

    @Override
    public void close() throws IOException {
        try (out) {
            pay();
        }
    }
}
