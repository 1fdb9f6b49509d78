// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import java.util.Locale;
import org.apache.hadoop.conf.Configurable;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.compress.CompressionCodec;

/**
 * Estimates the memory that reading one compressed segment takes beside its chunks. A merge over
 * compressed segments holds one decoder open for each map, as far as there is memory for them,
 * unlike stock, which decompresses while it copies.
 */
final class DecoderMemory {
    private static final long KIB = 1L << 10;
    private static final Configuration NO_SETTINGS = new Configuration(false);

    /** Beyond any buffer that a codec can allocate. */
    private static final long MOST = Integer.MAX_VALUE;

    private static final long UNKNOWN_CODEC = 512 * KIB;

    private DecoderMemory() {}

    /** The bytes that one open segment takes. */
    static int bytesPerSegment(final CompressionCodec codec) {
        final String name = codec.getClass().getSimpleName().toLowerCase(Locale.ROOT);
        final Configuration conf = configuration(codec);
        return (int)
                Math.min(
                        MOST,
                        (long) RunCursors.RECORD_BUFFER_BYTES
                                + conf.getInt("io.file.buffer.size", 4096)
                                + decoderBytes(name, conf));
    }

    private static Configuration configuration(final CompressionCodec codec) {
        return codec instanceof Configurable configurable && configurable.getConf() != null
                ? configurable.getConf()
                : NO_SETTINGS;
    }

    private static long decoderBytes(final String codec, final Configuration conf) {
        if (codec.contains("snappy")) {
            return 2 * conf.getLong("io.compression.codec.snappy.buffersize", 256 * KIB);
        }
        if (codec.contains("lz4")) {
            return 2 * conf.getLong("io.compression.codec.lz4.buffersize", 256 * KIB);
        }
        if (codec.contains("lzo")) {
            return 2 * conf.getLong("io.compression.codec.lzo.buffersize", 256 * KIB);
        }
        if (codec.contains("bzip2")) {
            // The pure Java decoder holds one block of 900 kB as ints and as bytes.
            return 4608 * KIB;
        }
        if (codec.contains("zstd") || codec.contains("zstandard")) {
            // Two buffers and the window of the default level.
            return 2304 * KIB;
        }
        if (codec.contains("default") || codec.contains("gzip") || codec.contains("deflate")) {
            // Two direct buffers of 64 KiB, the 32 KiB window and zlib's state.
            return 176 * KIB;
        }
        return UNKNOWN_CODEC;
    }
}
