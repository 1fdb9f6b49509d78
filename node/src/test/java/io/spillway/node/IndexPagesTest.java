// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.SegmentWriter;
import io.spillway.node.file.RunPages;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.FetchReply;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.LongStream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Outputs for so many reducers that a node does not keep their whole indices. */
final class IndexPagesTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final int PARTITIONS = 20_000;
    private static final int BLOCK = 1 << 10;
    private static final Path READ_BYTES = Path.of("/proc/self/io");

    private LocalSegmentSource source;

    @TempDir private Path localDir;

    @BeforeEach
    void start() {
        source =
                new LocalSegmentSource(
                        new ToyLayout(),
                        this::locate,
                        List.of(localDir.resolve("store")),
                        job -> "alice",
                        Map.of("spillway.node.index.bytes", "64k")::get);
    }

    @AfterEach
    void close() {
        source.close();
    }

    private File locate(final String relativePath) throws FileNotFoundException {
        final Path path = localDir.resolve(relativePath);
        if (!Files.exists(path)) {
            throw new FileNotFoundException(relativePath);
        }
        return path.toFile();
    }

    private static SegmentId segment(final int map, final int partition) {
        return new SegmentId(ToyLayout.output(JOB, map), partition);
    }

    private Path file(final int map, final String suffix) {
        return localDir.resolve(
                ToyLayout.folder("alice", JOB, segment(map, 0).output())
                        + "/"
                        + ToyLayout.DATA
                        + suffix);
    }

    /** Segments of none to some blocks. */
    private void write(final int map) throws IOException {
        final Random random = new Random(map);
        final MapOutputIndex entries = new MapOutputIndex(PARTITIONS);
        Files.createDirectories(file(map, "").getParent());
        try (OutputStream out = Files.newOutputStream(file(map, ""));
                SegmentWriter writer = new SegmentWriter(out, null, BLOCK)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                append(writer, random, records(map, partition));
                entries.put(partition, writer.endSegment());
            }
            try (OutputStream sums = Files.newOutputStream(file(map, BlockChecksums.SUFFIX))) {
                writer.blockChecksums().writeTo(sums, 1);
            }
            try (OutputStream counts = Files.newOutputStream(file(map, RecordCounts.SUFFIX))) {
                writer.recordCounts().writeTo(counts, 1);
            }
        }
        try (OutputStream out = Files.newOutputStream(file(map, ".index"))) {
            entries.writeTo(out);
        }
    }

    private static int records(final int map, final int partition) {
        return (partition + map) % 4;
    }

    private static void append(final SegmentWriter writer, final Random random, final int records)
            throws IOException {
        for (int record = 0; record < records; record++) {
            final byte[] value = new byte[200 * records + random.nextInt(300)];
            random.nextBytes(value);
            writer.append(value, 0, 10, value, 10, value.length - 10);
        }
    }

    /** Checks all that a node says of a segment against the segment's own bytes. */
    private void requireServed(final int map, final int partition) throws IOException {
        try (ServedSegment served = TestOutputs.open(source, JOB, segment(map, partition))) {
            assertThat(served.records()).isEqualTo(records(map, partition));
            assertThat(served.runs()).isOne();
            final ByteBuffer bytes = ByteBuffer.allocate((int) served.partLength());
            served.read(0, bytes);
            final CRC32C crc = new CRC32C();
            crc.update(bytes.array());
            assertThat(served.checksum(0, bytes.capacity())).isEqualTo(crc.getValue());
        }
    }

    private FetchException failure(final int map, final int partition) {
        return catchThrowableOfType(
                FetchException.class,
                () -> TestOutputs.open(source, JOB, segment(map, partition)).close());
    }

    /** The cache has room for one page. */
    private void forgetPages(final int map) throws IOException {
        requireServed(map, PARTITIONS / 2);
        requireServed(map, PARTITIONS / 2 + RunPages.PARTITIONS);
    }

    private static long bytesRead() throws IOException {
        return Files.readAllLines(READ_BYTES).stream()
                .filter(line -> line.startsWith("rchar: "))
                .mapToLong(line -> Long.parseLong(line.substring("rchar: ".length())))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aMissReadsAPageAndNotTheWholeIndex() throws IOException {
        final int maps = 3;
        for (int map = 0; map < maps; map++) {
            write(map);
            requireServed(map, 0);
        }
        final int fetches = 300;
        final Random random = new Random(1);
        final long before = bytesRead();
        for (int fetch = 0; fetch < fetches; fetch++) {
            requireServed(random.nextInt(maps), random.nextInt(PARTITIONS));
        }
        assertThat((bytesRead() - before) / fetches)
                .as("bytes read for a segment")
                .isLessThan(Files.size(file(0, ".index")) / 8);
    }

    @Test
    void servesTheSegmentsAtTheEdgesOfPages() throws IOException {
        write(0);
        for (int edge = 0; edge < PARTITIONS; edge += RunPages.PARTITIONS) {
            requireServed(0, edge);
            requireServed(0, Math.min(PARTITIONS, edge + RunPages.PARTITIONS) - 1);
        }
        for (int partition = RunPages.PARTITIONS + 4; partition > 0; partition -= 3) {
            requireServed(0, partition);
        }
    }

    @Test
    void aPageThatIsDamagedLaterFailsTheFetchesOfItsSegmentsOnly() throws IOException {
        write(0);
        for (final String suffix : List.of(".index", BlockChecksums.SUFFIX, RecordCounts.SUFFIX)) {
            forgetPages(0);
            final byte[] sound = Files.readAllBytes(file(0, suffix));
            final byte[] damaged = sound.clone();
            damaged[30] ^= 4;
            Files.write(file(0, suffix), damaged);
            requireServed(0, PARTITIONS - 1);
            assertThat(failure(0, 1).reason()).isEqualTo(Reason.SOURCE_FAILED);
            assertThat(failure(0, 1)).hasMessageContaining(ToyLayout.DATA + suffix);
            Files.write(file(0, suffix), sound);
            requireServed(0, 1);
        }
    }

    @Test
    void filesThatWereReplacedAreReadWholeAgain() throws IOException {
        write(0);
        requireServed(0, 0);
        forgetPages(0);
        final long[] others = LongStream.range(0, PARTITIONS).toArray();
        try (OutputStream out = Files.newOutputStream(file(0, RecordCounts.SUFFIX))) {
            RecordCounts.of(others).writeTo(out, 1);
        }
        for (final int partition : new int[] {7, PARTITIONS - 1}) {
            try (ServedSegment served = TestOutputs.open(source, JOB, segment(0, partition))) {
                assertThat(served.records()).isEqualTo(partition);
            }
        }
    }

    @Test
    void aPartitionBeyondTheLastOneIsRefusedWhetherTheIndexIsKnownOrNot() throws IOException {
        write(0);
        for (int round = 0; round < 2; round++) {
            for (final int beyond : new int[] {PARTITIONS, 10 * PARTITIONS, Integer.MAX_VALUE}) {
                assertThat(failure(0, beyond).reason()).isEqualTo(Reason.OUT_OF_RANGE);
                assertThat(failure(0, beyond))
                        .hasMessageContaining("expected 0 to " + (PARTITIONS - 1));
            }
            requireServed(0, PARTITIONS - 1);
        }
    }

    @Test
    void servesOutputsWithoutChecksumsAndCounts() throws IOException {
        write(0);
        Files.delete(file(0, BlockChecksums.SUFFIX));
        Files.delete(file(0, RecordCounts.SUFFIX));
        for (int round = 0; round < 2; round++) {
            for (final int partition : new int[] {0, PARTITIONS / 2, PARTITIONS - 1}) {
                try (ServedSegment served = TestOutputs.open(source, JOB, segment(0, partition))) {
                    assertThat(served.records()).isEqualTo(FetchReply.UNKNOWN_RECORDS);
                    assertThat(served.checksum(0, (int) served.partLength()))
                            .isEqualTo(FetchReply.NO_CHECKSUM);
                }
            }
        }
    }
}
