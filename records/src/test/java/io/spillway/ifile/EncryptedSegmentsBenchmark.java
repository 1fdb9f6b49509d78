// SPDX-License-Identifier: Apache-2.0
package io.spillway.ifile;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.hadoop.conf.Configuration;
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

/** The cost of encryption in maps and reducers: the time for a MiB of map output. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class EncryptedSegmentsBenchmark {
    private static final int BYTES = 1 << 20;
    private static final int VALUE = 100;

    /** The bytes of a piece that a reducer decrypts. */
    private static final int PIECE = 64 << 10;

    @Param({"false", "true"})
    private boolean encrypted;

    private final byte[] bytes = new byte[BYTES];
    private SegmentCipher cipher;
    private byte[] stored;

    /** Makes a segment. */
    @Setup
    public void setUp() throws IOException {
        new Random(1).nextBytes(bytes);
        cipher =
                encrypted
                        ? new EncryptedSegments(new Configuration(false), new byte[16], "")
                        : SegmentCipher.NONE;
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        write(out);
        stored = out.toByteArray();
    }

    private BlockChecksums write(final OutputStream out) throws IOException {
        try (SegmentWriter writer = new SegmentWriter(out, null, cipher, PIECE)) {
            for (int at = 0; at + VALUE <= BYTES; at += VALUE) {
                writer.append(bytes, at, VALUE);
            }
            writer.endSegment();
            return writer.blockChecksums();
        }
    }

    /** All work of a map to write a segment of small records. */
    @Benchmark
    public BlockChecksums writeRecords() throws IOException {
        return write(OutputStream.nullOutputStream());
    }

    /** The work of a reducer on its pieces before it verifies them. */
    @Benchmark
    public int decryptPieces() {
        final SegmentCipher.Content content = cipher.content();
        int sum = 0;
        for (int at = 0; at < stored.length; at += PIECE) {
            sum += content.pass(stored, at, Math.min(PIECE, stored.length - at));
        }
        return sum;
    }
}
