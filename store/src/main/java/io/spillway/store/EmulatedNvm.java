// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

/**
 * Makes memory as slow as NVM, as the published evaluations did (PDSW'16): after a write it waits a
 * factor times as long as the write took in DRAM. Reads are as fast as those of DRAM. What is
 * measured with it is to be called emulated. Immutable, thread-safe.
 *
 * @param writeFactor how many times as long as the write to wait after it; 0 for not at all
 */
public record EmulatedNvm(double writeFactor) {
    /** No emulation. */
    public static final EmulatedNvm OFF = new EmulatedNvm(0);

    /** Shorter waits are spun: a parked thread comes back some 50 microseconds late. */
    private static final long SPIN_NANOS = 200_000;

    /** Whether writes are delayed. */
    public boolean isOn() {
        return writeFactor > 0;
    }

    /** Wraps an opener, where the emulation is on. */
    FileAccess.Opener around(final FileAccess.Opener opener) {
        return isOn() ? file -> new Slowed(opener.open(file)) : opener;
    }

    private static void waitAfter(final long startNanos, final double factor) {
        final long now = System.nanoTime();
        final long until = now + (long) (factor * (now - startNanos));
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            if (left > SPIN_NANOS) {
                LockSupport.parkNanos(left - SPIN_NANOS / 2);
            } else {
                Thread.onSpinWait();
            }
        }
    }

    private final class Slowed extends FileAccess {
        private final FileAccess access;

        Slowed(final FileAccess access) {
            super();
            this.access = access;
        }

        @Override
        void write(final long position, final byte[] bytes, final int offset, final int length)
                throws IOException {
            final long start = System.nanoTime();
            access.write(position, bytes, offset, length);
            waitAfter(start, writeFactor);
        }

        @Override
        int read(
                final long position,
                final byte[] bytes,
                final int offset,
                final int length,
                final long end)
                throws IOException {
            return access.read(position, bytes, offset, length, end);
        }

        @Override
        long lengthFor(final long end) {
            return access.lengthFor(end);
        }

        @Override
        void force() throws IOException {
            access.force();
        }

        @Override
        void close() {
            access.close();
        }
    }
}
