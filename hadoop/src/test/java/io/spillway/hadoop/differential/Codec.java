// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.DeflateCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.Lz4Codec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.ZStandardCodec;
import org.apache.hadoop.mapred.JobConf;

/** How map output is compressed. */
enum Codec {
    NONE(null),
    DEFAULT(DefaultCodec.class),
    DEFLATE(DeflateCodec.class),
    GZIP(GzipCodec.class),
    SNAPPY(SnappyCodec.class),
    BZIP2(BZip2Codec.class),
    /** Its library may be missing. */
    LZ4(Lz4Codec.class),
    /** Its native library may be missing. */
    ZSTANDARD(ZStandardCodec.class);

    private final Class<? extends CompressionCodec> type;

    Codec(final Class<? extends CompressionCodec> type) {
        this.type = type;
    }

    void configure(final JobConf conf) {
        if (type != null) {
            conf.setCompressMapOutput(true);
            conf.setMapOutputCompressorClass(type);
        }
    }
}
