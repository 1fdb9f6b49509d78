// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The last field of a body: the CRC32C of the fields before it, four bytes. */
public final class Guard {
    /** The bytes of a guard. */
    public static final int LENGTH = Integer.BYTES;

    private Guard() {}

    /** Writes the guard of what lies from {@code bodyStart} up to the position of {@code out}. */
    public static void put(final ByteBuffer out, final int bodyStart) {
        out.putInt(of(out, bodyStart, out.position()));
    }

    /** A reader of the fields before the guard at the end of a body, after a check of it. */
    static FrameReader reader(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        final int end = body.limit() - LENGTH;
        if (end < body.position()) {
            throw MalformedFrameException.of(
                    type, "bytes left for guard", body.remaining(), "at least " + LENGTH);
        }
        final int expected = of(body, body.position(), end);
        if (body.getInt(end) != expected) {
            throw MalformedFrameException.of(
                    type,
                    "guard",
                    Integer.toHexString(body.getInt(end)),
                    Integer.toHexString(expected) + ", the CRC32C of the fields before it");
        }
        return new FrameReader(type, body.duplicate().limit(end));
    }

    private static int of(final ByteBuffer bytes, final int start, final int end) {
        final CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate().limit(end).position(start));
        return (int) crc.getValue();
    }
}
