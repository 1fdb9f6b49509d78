// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.SegmentWriter;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.zip.CRC32C;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedOutputFileTest {
    private static final String OUTPUT = "attempt_1700000000000_0001_m_000004_0";

    /** A written output, and what was said of it. */
    private record Written(ByteArrayOutputStream data, SharedOutputTail tail) {
        byte[] file() throws IOException {
            final ByteArrayOutputStream file = new ByteArrayOutputStream();
            data.writeTo(file);
            file.writeBytes(tail.encoded());
            return file.toByteArray();
        }
    }

    private static Written write(final Random random, final int partitions, final int most)
            throws IOException {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final MapOutputIndex index = new MapOutputIndex(partitions);
        try (SegmentWriter writer = new SegmentWriter(out, null, BlockChecksums.MIN_BLOCK_LENGTH)) {
            for (int partition = 0; partition < partitions; partition++) {
                for (int records = random.nextInt(4); records > 0; records--) {
                    final byte[] value = new byte[random.nextInt(most)];
                    random.nextBytes(value);
                    writer.append(value, 0, 0, value, 0, value.length);
                }
                index.put(partition, writer.endSegment());
            }
            final SharedOutputTail tail =
                    new SharedOutputTail(
                            OUTPUT,
                            out.size(),
                            index,
                            writer.blockChecksums(),
                            writer.recordCounts());
            return new Written(out, tail);
        }
    }

    private static SharedOutputTail readTail(final Path file) throws IOException {
        try (SharedOutputFile open = SharedOutputFile.open(file)) {
            return open.readTail(OUTPUT);
        }
    }

    @Property(tries = 60)
    void whatWasWrittenIsRead(
            @ForAll final long seed, @ForAll @IntRange(min = 1, max = 4000) final int partitions)
            throws IOException {
        final Written written = write(new Random(seed), partitions, 3000);
        final Path path = Files.createTempFile("shared", SharedOutputs.SUFFIX);
        try {
            Files.write(path, written.file());
            try (SharedOutputFile file = SharedOutputFile.open(path)) {
                requireSame(file, written);
            }
        } finally {
            Files.delete(path);
        }
    }

    private static void requireSame(final SharedOutputFile file, final Written written)
            throws IOException {
        final SharedOutputTail read = file.readTail(OUTPUT);
        final SharedOutputTail given = written.tail();
        assertThat(read.dataLength()).isEqualTo(written.data().size());
        assertThat(read.memory()).isEqualTo(given.memory());
        for (int partition = 0; partition < given.index().partitions(); partition++) {
            final IndexEntry entry = read.index().get(partition);
            assertThat(entry).isEqualTo(given.index().get(partition));
            assertThat(read.counts().of(partition)).isEqualTo(given.counts().of(partition));
            final ByteBuffer segment = ByteBuffer.allocate((int) entry.partLength());
            file.readFully(segment, entry.startOffset());
            final CRC32C crc = new CRC32C();
            crc.update(segment.flip());
            assertThat(read.checksums().ofSegment(partition, entry.partLength()))
                    .isEqualTo((int) crc.getValue());
        }
    }

    @Test
    void everyTruncationIsRefused(@TempDir final Path folder) throws IOException {
        final byte[] whole = write(new Random(1), 3, 400).file();
        final Path path = Files.write(folder.resolve("f"), whole);
        assertThat(readTail(path).index().partitions()).isEqualTo(3);
        try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
            for (int length = whole.length - 1; length >= 0; length--) {
                file.truncate(length);
                assertThatThrownBy(() -> readTail(path))
                        .as("length=%d", length)
                        .isInstanceOf(UnfinishedOutputException.class)
                        .hasMessageContaining(path + " is not a finished map output");
            }
        }
    }

    @Test
    void aFileThatWasCutAndGrownIsRefused(@TempDir final Path folder) throws IOException {
        final byte[] whole = write(new Random(1), 3, 400).file();
        final byte[] longer = Arrays.copyOf(whole, whole.length + 1);
        assertThatThrownBy(() -> readTail(Files.write(folder.resolve("f"), longer)))
                .isInstanceOf(UnfinishedOutputException.class);
        final byte[] behindAnother = Arrays.copyOf(whole, 2 * whole.length);
        System.arraycopy(whole, 0, behindAnother, whole.length, whole.length);
        assertThatThrownBy(() -> readTail(Files.write(folder.resolve("g"), behindAnother)))
                .isInstanceOf(UnfinishedOutputException.class)
                .hasMessageContaining("length=" + 2 * whole.length + ", expected " + whole.length);
    }

    @Test
    void everyFlippedBitOfTheTailIsRefused(@TempDir final Path folder) throws IOException {
        final Written written = write(new Random(2), 3, 400);
        final byte[] whole = written.file();
        for (int bit = 8 * written.data().size(); bit < 8 * whole.length; bit++) {
            final byte[] flipped = whole.clone();
            flipped[bit / 8] ^= (byte) (1 << (bit % 8));
            final Path path = Files.write(folder.resolve("f"), flipped);
            assertThatThrownBy(() -> readTail(path))
                    .as("bit %d", bit)
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(path.toString());
        }
    }

    @Test
    void anotherOutputsFileIsRefused(@TempDir final Path folder) throws IOException {
        final Path path = Files.write(folder.resolve("f"), write(new Random(1), 1, 9).file());
        try (SharedOutputFile file = SharedOutputFile.open(path)) {
            assertThatThrownBy(() -> file.readTail("attempt_x"))
                    .hasMessageContaining("output=" + OUTPUT + ", expected attempt_x");
        }
    }

    @Test
    void outputsWithoutBlockChecksumsAreRead(@TempDir final Path folder) throws IOException {
        final Written written = write(new Random(3), 2, 50);
        final SharedOutputTail given = written.tail();
        final SharedOutputTail without =
                new SharedOutputTail(
                        OUTPUT, given.dataLength(), given.index(), null, given.counts());
        final Path path = folder.resolve("f");
        Files.write(path, new Written(written.data(), without).file());
        assertThat(readTail(path).checksums()).isNull();
    }

    @Test
    void aLinkIsNotFollowedAndAMissingFileIsNamed(@TempDir final Path folder) throws IOException {
        final Path path = Files.write(folder.resolve("f"), write(new Random(1), 1, 9).file());
        final Path link = Files.createSymbolicLink(folder.resolve("link"), path);
        assertThatThrownBy(() -> readTail(link)).isInstanceOf(IOException.class);
        final Path missing = folder.resolve("missing");
        assertThatThrownBy(() -> readTail(missing))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining(missing.toString());
    }

    @Test
    void aReadBeyondTheEndIsNamed(@TempDir final Path folder) throws IOException {
        final Path path = Files.write(folder.resolve("f"), new byte[10]);
        try (SharedOutputFile file = SharedOutputFile.open(path)) {
            assertThatThrownBy(() -> file.readFully(ByteBuffer.allocate(4), 8))
                    .isInstanceOf(EOFException.class)
                    .hasMessage(path + ": length=10, expected 12");
        }
    }

    @Test
    void manyThreadsReadOneFile(@TempDir final Path folder) throws Exception {
        final Written written = write(new Random(5), 64, 20_000);
        final Path path = Files.write(folder.resolve("f"), written.file());
        final ExecutorService threads = Executors.newFixedThreadPool(4);
        try (SharedOutputFile file = SharedOutputFile.open(path)) {
            final List<Future<?>> all = new ArrayList<>();
            for (int thread = 0; thread < 4; thread++) {
                all.add(
                        threads.submit(
                                () -> {
                                    requireSame(file, written);
                                    return null;
                                }));
            }
            for (final Future<?> each : all) {
                each.get();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
