// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Block checksums of segments that just fill their blocks, and of very many of them. */
class BlockChecksumsEdgesTest {
    private static final int BLOCK = BlockChecksums.MIN_BLOCK_LENGTH;

    /** Segments of a length each: what a map writes, as a reader of its files knows it. */
    private static BlockChecksums readBack(final byte[] data, final int... lengths)
            throws IOException {
        final BlockChecksumsBuilder builder = new BlockChecksumsBuilder(BLOCK);
        final MapOutputIndex index = new MapOutputIndex(lengths.length);
        int at = 0;
        for (int p = 0; p < lengths.length; p++) {
            builder.update(data, at, lengths[p]);
            builder.endSegment();
            index.put(p, new IndexEntry(at, lengths[p], lengths[p]));
            at += lengths[p];
        }
        final ByteArrayOutputStream file = new ByteArrayOutputStream();
        builder.build().writeTo(file, 1);
        return BlockChecksums.readFrom(file.toByteArray(), "file", index, 1);
    }

    private static byte[] random(final int length) {
        final byte[] data = new byte[length];
        new Random(length).nextBytes(data);
        return data;
    }

    private static long checksum(final byte[] data, final int offset, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(data, offset, length);
        return crc.getValue();
    }

    @Test
    void segmentsThatJustFillTheirBlocksHaveNoBlockMore() throws IOException {
        final int[] lengths = {BLOCK, 2 * BLOCK, BLOCK - 1, BLOCK + 1, 0, BLOCK};
        final byte[] data = random(6 * BLOCK);
        final BlockChecksums read = readBack(data, lengths);

        assertThat(read.count()).isEqualTo(1 + 2 + 1 + 2 + 1);
        assertThat(read.blockLength()).isEqualTo(BLOCK);
        int at = 0;
        for (int p = 0; p < lengths.length; p++) {
            if (lengths[p] > 0) {
                assertThat(read.of(p, lengths[p], 0, lengths[p]))
                        .as("segment %d", p)
                        .isEqualTo(checksum(data, at, lengths[p]));
            }
            at += lengths[p];
        }
        assertThat(read.of(1, 2 * BLOCK, BLOCK, BLOCK)).isEqualTo(checksum(data, 2 * BLOCK, BLOCK));
    }

    @Test
    void manySegmentsAreToldApart() throws IOException {
        final int[] lengths = new int[1000];
        Arrays.setAll(lengths, p -> p % 3);
        final byte[] data = random(1000);
        final BlockChecksums read = readBack(data, lengths);

        int at = 0;
        for (int p = 0; p < lengths.length; p++) {
            if (lengths[p] > 0) {
                assertThat(read.of(p, lengths[p], 0, lengths[p]))
                        .isEqualTo(checksum(data, at, lengths[p]));
            }
            at += lengths[p];
        }
        assertThat(read.memory()).isEqualTo(4L * (read.count() + lengths.length + 1));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, -1, 1, BlockChecksums.MIN_BLOCK_LENGTH / 2, 3 << 20, 1 << 30})
    void aLengthThatNoBlockHasIsRefused(final int length) throws IOException {
        assertThatThrownBy(() -> new BlockChecksumsBuilder(length))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("blockLength=" + length)
                .hasMessageContaining("a power of two from");

        final ByteArrayOutputStream file = new ByteArrayOutputStream();
        final BlockChecksumsBuilder builder = new BlockChecksumsBuilder(BLOCK);
        builder.endSegment();
        builder.build().writeTo(file, 1);
        final ByteBuffer damaged = ByteBuffer.wrap(file.toByteArray());
        damaged.putInt(Long.BYTES, length);
        final int end = damaged.capacity() - Integer.BYTES;
        damaged.putInt(end, (int) checksum(damaged.array(), 0, end));
        assertThatThrownBy(
                        () ->
                                BlockChecksums.readFrom(
                                        damaged.array(), "file", new MapOutputIndex(1), 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("blockLength");
    }
}
