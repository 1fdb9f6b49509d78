// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import io.spillway.checksum.Crc32cMath;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What checksums of blocks cost maps, reducers and nodes: the time for a MiB of map output. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class BlockChecksumsBenchmark {
    private static final int BYTES = 1 << 20;
    private static final int WRITE = 128 << 10;
    private static final int VALUE = 100;

    @Param({"4096", "65536"})
    private int blockLength;

    private final byte[] bytes = new byte[BYTES];
    private final CRC32 crc32 = new CRC32();
    private final CRC32C crc32c = new CRC32C();
    private BlockChecksums checksums;
    private BlockChecksumsBuilder builder;

    /** Makes the bytes and their checksums. */
    @Setup
    public void setUp() {
        new Random(1).nextBytes(bytes);
        builder = new BlockChecksumsBuilder(blockLength);
        builder.update(bytes, 0, BYTES);
        builder.endSegment();
        checksums = builder.build();
    }

    /** The segment's own checksum, as stock computes it. */
    @Benchmark
    public long segmentsChecksum() {
        crc32.reset();
        for (int at = 0; at < BYTES; at += WRITE) {
            crc32.update(bytes, at, WRITE);
        }
        return crc32.getValue();
    }

    /** What a map adds to that. */
    @Benchmark
    public BlockChecksums blocks() {
        final BlockChecksumsBuilder blocks = new BlockChecksumsBuilder(blockLength);
        for (int at = 0; at < BYTES; at += WRITE) {
            blocks.update(bytes, at, WRITE);
        }
        blocks.endSegment();
        return blocks.build();
    }

    /** What a node computes for a piece of a MiB. */
    @Benchmark
    public long combine() {
        return checksums.of(0, BYTES, 0, BYTES);
    }

    /** What a reducer computes of a piece, and adds to the stream's digest. */
    @Benchmark
    public int verify() {
        crc32c.reset();
        crc32c.update(bytes, 0, BYTES);
        return Crc32cMath.combine(1, (int) crc32c.getValue(), BYTES);
    }

    /** A segment of small records, all that a map does to write it. */
    @Benchmark
    public BlockChecksums writeRecords() throws IOException {
        try (SegmentWriter writer =
                new SegmentWriter(OutputStream.nullOutputStream(), null, blockLength)) {
            for (int at = 0; at + VALUE <= BYTES; at += VALUE) {
                writer.append(bytes, at, VALUE);
            }
            writer.endSegment();
            return writer.blockChecksums();
        }
    }
}
