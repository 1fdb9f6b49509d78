// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32;
import org.apache.hadoop.mapred.IndexRecord;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.SpillRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MapOutputIndexTest {
    @TempDir private Path directory;

    private static MapOutputIndex index(final int partitions, final long seed) {
        final Random random = new Random(seed);
        final MapOutputIndex index = new MapOutputIndex(partitions);
        for (int p = 0; p < partitions; p++) {
            index.put(p, new IndexEntry(p * 1000L, random.nextInt(5000), 1000));
        }
        return index;
    }

    private static byte[] encoded(final MapOutputIndex index) throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        index.writeTo(out);
        return out.toByteArray();
    }

    private static MapOutputIndex decoded(final byte[] encoded, final long fileLength)
            throws IOException {
        return MapOutputIndex.readFrom(ByteBuffer.wrap(encoded), "file.out.index", fileLength);
    }

    @Test
    void isASpillRecord() throws IOException {
        for (final int partitions : new int[] {1, 2, 500}) {
            final MapOutputIndex index = index(partitions, partitions);
            final byte[] written = encoded(index);
            assertThat(written).hasSize((int) MapOutputIndex.encodedLength(partitions));

            final Path ours = directory.resolve("ours" + partitions);
            Files.write(ours, written);
            final SpillRecord stock =
                    new SpillRecord(
                            new org.apache.hadoop.fs.Path(ours.toString()), new JobConf(false));
            assertThat(stock.size()).isEqualTo(partitions);
            for (int p = 0; p < partitions; p++) {
                final IndexRecord entry = stock.getIndex(p);
                assertThat(index.get(p))
                        .isEqualTo(
                                new IndexEntry(
                                        entry.startOffset, entry.rawLength, entry.partLength));
            }

            final Path theirs = directory.resolve("theirs" + partitions);
            stock.writeToFile(new org.apache.hadoop.fs.Path(theirs.toString()), new JobConf(false));
            assertThat(Files.readAllBytes(theirs)).isEqualTo(written);
            final MapOutputIndex read = decoded(Files.readAllBytes(theirs), partitions * 1000L);
            assertThat(encoded(read)).isEqualTo(written);
        }
    }

    @Test
    void refusesEveryFlippedBitAndEveryOtherLength() throws IOException {
        final byte[] good = encoded(index(3, 1));
        for (int i = 0; i < good.length; i++) {
            final byte[] broken = good.clone();
            broken[i] ^= (byte) (1 << (i % 8));
            assertThatThrownBy(() -> decoded(broken, MapOutputIndex.UNKNOWN_FILE_LENGTH))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("file.out.index")
                    .hasMessageContaining("checksum");
            final byte[] cut = Arrays.copyOf(good, i);
            assertThatThrownBy(() -> decoded(cut, MapOutputIndex.UNKNOWN_FILE_LENGTH))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("file.out.index");
        }
    }

    @Test
    void refusesEntriesThatCannotBe() throws IOException {
        final long[][] impossible = {
            {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}, {Long.MAX_VALUE, 0, 1}, {1, 5, 100}
        };
        for (final long[] entry : impossible) {
            assertThatThrownBy(() -> decoded(withChecksum(entry), 100))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("file.out.index")
                    .hasMessageContaining("startOffset=" + entry[0])
                    .hasMessageContaining("partLength=" + entry[2]);
        }
        assertThat(decoded(withChecksum(1, 5, 99), 100).get(0)).isEqualTo(new IndexEntry(1, 5, 99));
        assertThat(decoded(withChecksum(1, 5, 100), MapOutputIndex.UNKNOWN_FILE_LENGTH).get(0))
                .isEqualTo(new IndexEntry(1, 5, 100));
    }

    private static byte[] withChecksum(final long... entry) {
        final ByteBuffer buffer = ByteBuffer.allocate(32);
        for (final long value : entry) {
            buffer.putLong(value);
        }
        final CRC32 crc = new CRC32();
        crc.update(buffer.array(), 0, 24);
        return buffer.putLong(crc.getValue()).array();
    }

    @Test
    void refusesPartitionsItDoesNotHave() {
        final MapOutputIndex index = new MapOutputIndex(2);
        assertThat(index.get(1)).isEqualTo(new IndexEntry(0, 0, 0));
        assertThatThrownBy(() -> index.get(2)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> index.put(-1, new IndexEntry(0, 0, 0)))
                .isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new MapOutputIndex(-1)).hasMessageContaining("partitions=-1");
        assertThatThrownBy(() -> new MapOutputIndex(MapOutputIndex.MAX_PARTITIONS + 1))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new IndexEntry(0, -5, 0)).hasMessageContaining("rawLength=-5");
    }
}
