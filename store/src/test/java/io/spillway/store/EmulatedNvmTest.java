// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmulatedNvmTest extends SpillStoreConformance {
    private static final int WRITE_FACTOR = 10;

    @TempDir private Path directory;

    @Override
    protected SpillStore newStore() {
        return FileSpillStore.ofMappedFiles(
                "nvm",
                new UnnamedFiles(directory, new FreeSpace(directory, 0)),
                false,
                new EmulatedNvm(WRITE_FACTOR));
    }

    @Test
    void isOffUnlessAFactorIsGiven() {
        assertThat(EmulatedNvm.OFF.isOn()).isFalse();
        assertThat(new EmulatedNvm(1).isOn()).isTrue();
    }

    /** The slow access takes a time that no noise of the machine can hide. */
    @Test
    void waitsTheFactorTimesAsLongAsTheAccessTook() throws IOException {
        final long accessNanos = 20_000_000;
        final FileAccess slowed =
                new EmulatedNvm(WRITE_FACTOR).around(file -> new Sleeping(accessNanos)).open(null);
        final long start = System.nanoTime();
        slowed.write(0, new byte[1], 0, 1);
        final long written = System.nanoTime();

        assertThat(written - start).isGreaterThanOrEqualTo(accessNanos * (WRITE_FACTOR + 1));
    }

    private static final class Sleeping extends FileAccess {
        private final long nanos;

        Sleeping(final long nanos) {
            super();
            this.nanos = nanos;
        }

        @Override
        void write(final long position, final byte[] bytes, final int offset, final int length) {
            final long until = System.nanoTime() + nanos;
            while (System.nanoTime() < until) {
                Thread.onSpinWait();
            }
        }

        @Override
        int read(
                final long position,
                final byte[] bytes,
                final int offset,
                final int length,
                final long end) {
            return length;
        }

        @Override
        long lengthFor(final long end) {
            return end;
        }

        @Override
        void force() {}

        @Override
        void close() {}
    }
}
