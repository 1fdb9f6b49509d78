// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import io.spillway.ifile.RecordCursor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;

/** Keys as Hadoop serializes them. */
final class KeyBytes {
    private KeyBytes() {}

    static byte[] text(final String text) {
        return of(new Text(text));
    }

    static byte[] bytes(final int... values) {
        final byte[] bytes = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            bytes[i] = (byte) values[i];
        }
        return of(new BytesWritable(bytes));
    }

    static byte[] of(final Writable writable) {
        try (DataOutputBuffer out = new DataOutputBuffer()) {
            writable.write(out);
            return Arrays.copyOf(out.getData(), out.getLength());
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The text of a cursor's current key. */
    static String textOf(final RecordCursor cursor) {
        final int header = WritableUtils.decodeVIntSize(cursor.buffer()[cursor.keyStart()]);
        return new String(
                cursor.buffer(),
                cursor.keyStart() + header,
                cursor.keyLength() - header,
                StandardCharsets.UTF_8);
    }
}
