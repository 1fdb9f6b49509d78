// SPDX-License-Identifier: Apache-2.0
package io.spillway.hadoop.differential;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.MD5Hash;
import org.apache.hadoop.io.Writable;

/** Keys and values as bytes. */
final class Serialized {
    private Serialized() {}

    /** The object's serialized form; for a plain Java object, its text. */
    static byte[] bytes(final Object object) throws IOException {
        if (!(object instanceof Writable writable)) {
            return object.toString().getBytes(StandardCharsets.UTF_8);
        }
        final DataOutputBuffer out = new DataOutputBuffer();
        writable.write(out);
        return Arrays.copyOf(out.getData(), out.getLength());
    }

    /** The bytes themselves, or length and digest of those longer than {@code limit}. */
    static byte[] digestIfLonger(final byte[] bytes, final int limit) {
        if (bytes.length <= limit) {
            return bytes;
        }
        return ByteBuffer.allocate(Integer.BYTES + MD5Hash.MD5_LEN)
                .putInt(bytes.length)
                .put(MD5Hash.digest(bytes).getDigest())
                .array();
    }

    /** Makes {@code target} equal to {@code source}, as a mapper does that reuses its objects. */
    static void copy(final Writable source, final Writable target) throws IOException {
        read(bytes(source), target);
    }

    /** Gives {@code target} the value of its serialized form. */
    static void read(final byte[] bytes, final Writable target) {
        final DataInputBuffer in = new DataInputBuffer();
        in.reset(bytes, bytes.length);
        try {
            target.readFields(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
