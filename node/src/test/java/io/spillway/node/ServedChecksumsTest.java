// SPDX-License-Identifier: Apache-2.0
package io.spillway.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.MapOutputRuns;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.SegmentWriter;
import io.spillway.store.tier.Tiers;
import io.spillway.transport.FetchException;
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
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The checksums of blocks that maps write, as a node gives them out. */
final class ServedChecksumsTest {
    private static final String JOB = "job_1700000000000_0001";
    private static final String ATTEMPT = ToyLayout.output(JOB, 0);
    private static final int PARTITIONS = 3;
    private static final int BLOCK = 4096;

    private LocalSegmentSource source;
    private Path output;

    @TempDir private Path localDir;

    @BeforeEach
    void start() throws IOException {
        output = Files.createDirectories(localDir.resolve(ToyLayout.folder("alice", JOB, ATTEMPT)));
        source =
                new LocalSegmentSource(
                        new ToyLayout(),
                        this::locate,
                        List.of(localDir.resolve("store/nvm-node-1")),
                        job -> "alice",
                        name -> null);
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

    /** Writes what a map writes, of random records. */
    private void write(final String data, final String index, final int runs) throws IOException {
        final Random random = new Random(data.hashCode());
        final MapOutputIndex entries = new MapOutputIndex(PARTITIONS);
        try (OutputStream out = Files.newOutputStream(output.resolve(data));
                SegmentWriter writer = new SegmentWriter(out, null, BLOCK)) {
            for (int partition = 0; partition < PARTITIONS; partition++) {
                final byte[] value = new byte[10_000 + random.nextInt(10_000)];
                random.nextBytes(value);
                writer.append(value, 0, 10, value, 10, value.length - 10);
                for (int more = 0; more < partition; more++) {
                    writer.append(value, 0, 10, value, 0, 0);
                }
                entries.put(partition, writer.endSegment());
            }
            try (OutputStream sums = Files.newOutputStream(sumsOf(data))) {
                writer.blockChecksums().writeTo(sums, runs);
            }
            try (OutputStream counts = Files.newOutputStream(countsOf(data))) {
                writer.recordCounts().writeTo(counts, runs);
            }
        }
        try (OutputStream out = Files.newOutputStream(output.resolve(index))) {
            entries.writeTo(out);
        }
    }

    private Path sumsOf(final String data) {
        return output.resolve(data + BlockChecksums.SUFFIX);
    }

    private Path countsOf(final String data) {
        return output.resolve(data + RecordCounts.SUFFIX);
    }

    private ServedSegment open(final int partition, final int run) throws FetchException {
        return TestOutputs.open(source, JOB, new SegmentId(ATTEMPT, partition, run));
    }

    private static long crcOf(final ServedSegment segment, final long offset, final int length)
            throws IOException {
        final ByteBuffer bytes = ByteBuffer.allocate(length);
        segment.read(offset, bytes);
        final CRC32C crc = new CRC32C();
        crc.update(bytes.array());
        return crc.getValue();
    }

    private void assertGivesChecksums(final int run) throws IOException {
        for (int partition = 0; partition < PARTITIONS; partition++) {
            try (ServedSegment segment = open(partition, run)) {
                assertThat(segment.records()).isEqualTo(partition + 1L);
                final int last = (int) segment.partLength() - BLOCK;
                assertThat(segment.checksum(0, 2 * BLOCK)).isEqualTo(crcOf(segment, 0, 2 * BLOCK));
                assertThat(segment.checksum(BLOCK, last)).isEqualTo(crcOf(segment, BLOCK, last));
                assertThat(segment.checksum(BLOCK, last - 1)).isEqualTo(FetchReply.NO_CHECKSUM);
            }
        }
    }

    @Test
    void givesThoseOfAnOutputOnDisk() throws IOException {
        write(ToyLayout.DATA, ToyLayout.INDEX, 1);
        assertGivesChecksums(0);
        try (ServedSegment segment = open(0, 0)) {
            assertThat(segment.tier()).isEqualTo(Tiers.DISK);
        }
    }

    @Test
    void givesThoseOfEachRun() throws IOException {
        for (int run = 0; run < 2; run++) {
            write(MapOutputRuns.dataFile(run), MapOutputRuns.indexFile(run), 2);
        }
        try (OutputStream out = Files.newOutputStream(output.resolve(MapOutputRuns.FILE))) {
            new MapOutputRuns(2).writeTo(out);
        }
        assertGivesChecksums(0);
        assertGivesChecksums(1);
    }

    @Test
    void aDamagedNumberOfRunsIsNoticed() throws IOException {
        for (int run = 0; run < 2; run++) {
            write(MapOutputRuns.dataFile(run), MapOutputRuns.indexFile(run), 3);
        }
        try (OutputStream out = Files.newOutputStream(output.resolve(MapOutputRuns.FILE))) {
            new MapOutputRuns(2).writeTo(out);
        }
        assertFails("runs=3, expected 2");
    }

    @Test
    void aMissingRunIsNoticedByTheAccountOfRecordsAlone() throws IOException {
        for (int run = 0; run < 3; run++) {
            write(MapOutputRuns.dataFile(run), MapOutputRuns.indexFile(run), 3);
            Files.delete(sumsOf(MapOutputRuns.dataFile(run)));
        }
        try (OutputStream out = Files.newOutputStream(output.resolve(MapOutputRuns.FILE))) {
            new MapOutputRuns(2).writeTo(out);
        }
        assertFails("file.out.run0.records: runs=3, expected 2");
    }

    @Test
    void namesTheTierThatALinkLeadsTo() throws IOException {
        write(ToyLayout.DATA, ToyLayout.INDEX, 1);
        final Path store =
                Files.createDirectories(
                        localDir.resolve("store/nvm-node-1/apps/application")
                                .resolve(output.getFileName()));
        final Path data = output.resolve(ToyLayout.DATA);
        Files.createSymbolicLink(data, Files.move(data, store.resolve("1.lease")));
        assertGivesChecksums(0);
        try (ServedSegment segment = open(0, 0)) {
            assertThat(segment.tier()).isEqualTo(Tiers.named("nvm"));
        }
    }

    @Test
    void anOutputOfTheStockCollectorHasNone() throws IOException {
        write(ToyLayout.DATA, ToyLayout.INDEX, 1);
        Files.delete(sumsOf(ToyLayout.DATA));
        Files.delete(countsOf(ToyLayout.DATA));
        try (ServedSegment segment = open(1, 0)) {
            assertThat(segment.records()).isEqualTo(FetchReply.UNKNOWN_RECORDS);
            assertThat(segment.checksum(0, BLOCK)).isEqualTo(FetchReply.NO_CHECKSUM);
        }
    }

    @Test
    void damagedOnesFailTheFetch() throws IOException {
        write(ToyLayout.DATA, ToyLayout.INDEX, 1);
        final byte[] sums = Files.readAllBytes(sumsOf(ToyLayout.DATA));
        sums[BlockChecksums.CHECKSUMS_OFFSET + 3] ^= 4;
        Files.write(sumsOf(ToyLayout.DATA), sums);
        assertFails("records.sums");
    }

    @Test
    void aDamagedAccountOfRecordsFailsTheFetch() throws IOException {
        write(ToyLayout.DATA, ToyLayout.INDEX, 1);
        final byte[] counts = Files.readAllBytes(countsOf(ToyLayout.DATA));
        counts[RecordCounts.COUNTS_OFFSET + 3] ^= 4;
        Files.write(countsOf(ToyLayout.DATA), counts);
        assertFails("records.records");
    }

    private void assertFails(final String text) {
        final FetchException failure =
                catchThrowableOfType(FetchException.class, () -> open(0, 0).close());
        assertThat(failure.reason()).isEqualTo(FetchException.Reason.SOURCE_FAILED);
        assertThat(failure).hasMessageContaining(text);
    }
}
