// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.WritableUtils;
import org.junit.jupiter.api.Test;

class VIntsTest {
    @Property(tries = 5000)
    void writesWhatHadoopWrites(@ForAll final int value) throws IOException {
        check(value);
    }

    @Test
    void writesWhatHadoopWritesAroundEveryChangeOfLength() throws IOException {
        for (int bit = 0; bit < Integer.SIZE; bit++) {
            for (int distance = -130; distance <= 130; distance++) {
                check((1 << bit) + distance);
                check(-(1 << bit) + distance);
            }
        }
    }

    private static void check(final int value) throws IOException {
        try (DataOutputBuffer expected = new DataOutputBuffer();
                DataInputBuffer in = new DataInputBuffer()) {
            WritableUtils.writeVInt(expected, value);
            final byte[] written = new byte[expected.getLength() + 1];
            assertThat(VInts.size(value)).isEqualTo(expected.getLength());
            assertThat(VInts.write(written, 1, value)).isEqualTo(written.length);
            assertThat(written)
                    .endsWith(java.util.Arrays.copyOf(expected.getData(), expected.getLength()));
            assertThat(VInts.sizeFromFirstByte(written[1]))
                    .isEqualTo(WritableUtils.decodeVIntSize(written[1]))
                    .isEqualTo(expected.getLength());
            assertThat(VInts.read(written, 1)).isEqualTo(value);
            in.reset(written, 1, written.length - 1);
            assertThat(WritableUtils.readVInt(in)).isEqualTo(value);
        }
    }

    @Test
    void knowsTheLengthsOfEveryFirstByte() {
        for (int first = Byte.MIN_VALUE; first <= Byte.MAX_VALUE; first++) {
            assertThat(VInts.sizeFromFirstByte((byte) first))
                    .isEqualTo(WritableUtils.decodeVIntSize((byte) first));
        }
    }
}
