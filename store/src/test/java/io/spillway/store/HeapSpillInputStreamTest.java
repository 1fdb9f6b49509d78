// SPDX-License-Identifier: Apache-2.0
package io.spillway.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeapSpillInputStreamTest {
    private static final int LENGTH = 4;
    private static final List<byte[]> CHUNKS =
            List.of(
                    new byte[] {0, 1, 2, 3},
                    new byte[] {4, (byte) 0xFF, 6, 7},
                    new byte[] {8, 9, 10, 11});

    private static HeapSpillInputStream range(final long offset, final long length) {
        return new HeapSpillInputStream(CHUNKS, LENGTH, offset, length);
    }

    @Test
    void givesSingleBytesAcrossChunks() throws IOException {
        final HeapSpillInputStream in = range(3, 3);
        assertThat(in.read()).isEqualTo(3);
        assertThat(in.read()).isEqualTo(4);
        assertThat(in.read()).isEqualTo(0xFF);
        assertThat(in.read()).isEqualTo(-1);
        assertThat(in.read()).isEqualTo(-1);
    }

    @Test
    void givesWhatFitsInOneCall() throws IOException {
        final HeapSpillInputStream in = range(1, 9);
        final byte[] read = new byte[12];
        assertThat(in.read(read, 2, 8)).isEqualTo(8);
        assertThat(read).containsExactly(0, 0, 1, 2, 3, 4, 0xFF, 6, 7, 8, 0, 0);
        assertThat(in.read(read, 0, 12)).isEqualTo(1);
        assertThat(read[0]).isEqualTo((byte) 9);
        assertThat(in.read(read, 0, 12)).isEqualTo(-1);
        assertThat(in.read(read, 0, 0)).isZero();
        assertThatThrownBy(() -> in.read(read, 5, 8)).isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void skipsToItsEndAndNeverBack() throws IOException {
        final HeapSpillInputStream in = range(1, 9);
        assertThat(in.available()).isEqualTo(9);
        assertThat(in.skip(-1)).isZero();
        assertThat(in.skip(0)).isZero();
        assertThat(in.skip(6)).isEqualTo(6);
        assertThat(in.available()).isEqualTo(3);
        assertThat(in.read()).isEqualTo(7);
        assertThat(in.skip(100)).isEqualTo(2);
        assertThat(in.available()).isZero();
        assertThat(in.read()).isEqualTo(-1);
    }
}
