// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/** Big-endian reads from byte arrays. */
final class BigEndian {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final VarHandle INT =
            MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);

    private BigEndian() {}

    static long readLong(final byte[] buffer, final int offset) {
        return (long) LONG.get(buffer, offset);
    }

    static int readInt(final byte[] buffer, final int offset) {
        return (int) INT.get(buffer, offset);
    }

    static int readShort(final byte[] buffer, final int offset) {
        return (buffer[offset] << 8) | (buffer[offset + 1] & 0xFF);
    }

    /** The first up to 8 of {@code length} bytes, padded with zeros; 0 when there are none. */
    static long readPadded(final byte[] buffer, final int offset, final int length) {
        if (length >= Long.BYTES) {
            return readLong(buffer, offset);
        }
        if (length > 0 && offset <= buffer.length - Long.BYTES) {
            return readLong(buffer, offset) & (-1L << (Long.SIZE - Byte.SIZE * length));
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            value |= (buffer[offset + i] & 0xFFL) << (56 - 8 * i);
        }
        return value;
    }
}
