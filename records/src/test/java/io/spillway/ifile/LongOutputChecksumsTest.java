// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** An output of more blocks than a file of checksums may have gets longer blocks. */
class LongOutputChecksumsTest {
    private static final int SHORTEST = BlockChecksums.MIN_BLOCK_LENGTH;

    @Property(tries = 500)
    void hasTheChecksumsThatItWouldHaveWithLongerBlocksFromTheBeginning(
            @ForAll @Size(min = 1, max = 12) final List<@IntRange(max = 40_000) Integer> segments,
            @ForAll @IntRange(min = 12, max = 70) final int mostBlocks,
            @ForAll final long seed)
            throws IOException {
        final BlockChecksums bounded =
                fill(new BlockChecksumsBuilder(SHORTEST, mostBlocks), segments, seed);
        assertThat(bounded.count()).isLessThanOrEqualTo(mostBlocks);
        final BlockChecksums same =
                fill(new BlockChecksumsBuilder(bounded.blockLength()), segments, seed);
        assertThat(encoded(bounded)).isEqualTo(encoded(same));
    }

    private static BlockChecksums fill(
            final BlockChecksumsBuilder builder, final List<Integer> segments, final long seed) {
        final Random random = new Random(seed);
        for (final int length : segments) {
            final byte[] bytes = new byte[length];
            random.nextBytes(bytes);
            int at = 0;
            while (at < length) {
                final int piece = Math.min(length - at, 1 + random.nextInt(9_000));
                builder.update(bytes, at, piece);
                at += piece;
            }
            builder.endSegment();
        }
        return builder.build();
    }

    private static byte[] encoded(final BlockChecksums checksums) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        checksums.writeTo(out, 1);
        return out.toByteArray();
    }
}
