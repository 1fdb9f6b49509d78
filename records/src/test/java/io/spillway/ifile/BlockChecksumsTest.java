// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.spillway.checksum.Crc32cMath;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class BlockChecksumsTest {
    private static final int PARTITIONS = 5;

    /** A written output, and what was said of it. */
    private record Output(
            ByteArrayOutputStream out, MapOutputIndex index, BlockChecksums checksums) {
        byte[] bytes() {
            return out.toByteArray();
        }

        byte[] encoded(final int runs) throws IOException {
            final ByteArrayOutputStream file = new ByteArrayOutputStream();
            checksums.writeTo(file, runs);
            return file.toByteArray();
        }
    }

    private static Output write(final Random random, final int blockLength, final int most)
            throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final MapOutputIndex index = new MapOutputIndex(PARTITIONS);
        try (SegmentWriter writer = new SegmentWriter(out, null, blockLength)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                final byte[] value = new byte[random.nextInt(most)];
                random.nextBytes(value);
                if (partition != 2) {
                    writer.append(value, 0, 0, value, 0, value.length);
                }
                index.put(partition, writer.endSegment());
            }
            return new Output(out, index, writer.blockChecksums());
        }
    }

    private static long crcOf(final byte[] bytes, final long offset, final int length) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes, (int) offset, length);
        return crc.getValue();
    }

    @Property(tries = 200)
    void everySegmentAndPieceOfWholeBlocksHasTheChecksumOfItsBytes(
            @ForAll final long seed,
            @ForAll @IntRange(min = 10, max = 14) final int blockPower,
            @ForAll @IntRange(min = 0, max = 20) final int firstBlock,
            @ForAll @IntRange(min = 1, max = 20) final int blocks)
            throws IOException {
        final int block = 1 << blockPower;
        final Output written = write(new Random(seed), block, 20 * block);
        final BlockChecksums read =
                BlockChecksums.readFrom(written.encoded(1), "sums", written.index(), 1);

        for (int partition = 0; partition < PARTITIONS; partition++) {
            final IndexEntry entry = written.index().get(partition);
            assertThat(Integer.toUnsignedLong(read.ofSegment(partition, entry.partLength())))
                    .isEqualTo(
                            crcOf(written.bytes(), entry.startOffset(), (int) entry.partLength()));
            final long offset = (long) firstBlock * block;
            final long left = entry.partLength() - offset;
            if (left > 0) {
                final int length = (int) Math.min(left, (long) blocks * block);
                assertThat(read.of(partition, entry.partLength(), offset, length))
                        .isEqualTo(crcOf(written.bytes(), entry.startOffset() + offset, length));
            }
        }
    }

    @Property(tries = 200)
    void aPieceThatIsNotOfWholeBlocksHasNoChecksumRatherThanAWrongOne(
            @ForAll final long seed,
            @ForAll @IntRange(min = 0, max = 9000) final int offset,
            @ForAll @IntRange(min = 0, max = 9000) final int length)
            throws IOException {
        final Output written = write(new Random(seed), 1024, 9000);
        for (int partition = 0; partition < PARTITIONS; partition++) {
            final IndexEntry entry = written.index().get(partition);
            final long checksum =
                    written.checksums().of(partition, entry.partLength(), offset, length);
            final long end = (long) offset + length;
            final boolean whole =
                    length > 0
                            && offset % 1024 == 0
                            && end <= entry.partLength()
                            && (end % 1024 == 0 || end == entry.partLength());
            assertThat(checksum)
                    .isEqualTo(
                            whole
                                    ? crcOf(written.bytes(), entry.startOffset() + offset, length)
                                    : BlockChecksums.NONE);
        }
    }

    @Property(tries = 200)
    void checksumsOfPartsGiveThatOfTheWhole(
            @ForAll final byte[] first, @ForAll final byte[] second) {
        final CRC32C whole = new CRC32C();
        whole.update(first);
        whole.update(second);
        final int combined =
                Crc32cMath.combine(
                        (int) crcOf(first, 0, first.length),
                        (int) crcOf(second, 0, second.length),
                        second.length);
        assertThat(combined).isEqualTo((int) whole.getValue());
    }

    @Test
    void lengthsBeyondWhatOneArrayHoldsAreCombined() {
        // Twice 2^33 zero bytes and then once as many give the same as one step of 3 * 2^33.
        final int start = 0x12345678;
        final long step = 1L << 33;
        int inSteps = start;
        for (int i = 0; i < 3; i++) {
            inSteps = Crc32cMath.combine(inSteps, 0, step);
        }
        assertThat(inSteps).isEqualTo(Crc32cMath.combine(start, 0, 3 * step));
    }

    @Test
    void everyFlippedBitOfTheFileIsNoticed() throws IOException {
        final Output written = write(new Random(7), 1024, 9000);
        final byte[] encoded = written.encoded(3);
        final List<Integer> unnoticed = new ArrayList<>();
        for (int bit = 0; bit < encoded.length * Byte.SIZE; bit++) {
            final byte[] damaged = encoded.clone();
            damaged[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            try {
                BlockChecksums.readFrom(damaged, "sums", written.index(), 3);
                unnoticed.add(bit);
            } catch (final IOException e) {
                assertThat(e).hasMessageContaining("sums");
            }
        }
        assertThat(unnoticed).isEmpty();
    }

    @Test
    void aFileOfAnotherOutputIsRefused() throws IOException {
        final Output one = write(new Random(1), 1024, 9000);
        final Output other = write(new Random(2), 1024, 90_000);

        assertThatIOException()
                .isThrownBy(() -> BlockChecksums.readFrom(one.encoded(1), "sums", other.index(), 1))
                .withMessageContaining("count=");
        assertThatIOException()
                .isThrownBy(() -> BlockChecksums.readFrom(one.encoded(1), "sums", one.index(), 2))
                .withMessageContaining("runs=1, expected 2");
        assertThatIOException()
                .isThrownBy(() -> BlockChecksums.readFrom(new byte[23], "sums", one.index(), 1));
    }
}
