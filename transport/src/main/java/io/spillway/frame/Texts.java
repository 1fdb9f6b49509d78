// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import io.spillway.transport.OpaqueId;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Text fields: two bytes of length, then the bytes; and texts that are safe in a log. */
public final class Texts {
    private static final int FIRST_CONTINUATION = 0x80;
    private static final int CONTINUATION_MASK = 0xC0;

    private Texts() {}

    /** Writes a field of at most 65,535 bytes. */
    public static void put(final ByteBuffer out, final byte[] text) {
        out.putShort((short) text.length).put(text);
    }

    /** The bytes of the name of a job or of an output; a wrong one is the caller's error. */
    public static byte[] id(final String field, final String id) {
        return OpaqueId.require(field, id).getBytes(StandardCharsets.US_ASCII);
    }

    /** The bytes of a name; too long a one is the caller's error. */
    public static byte[] name(final String field, final String name, final int maxLength) {
        final byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        if (bytes.length == 0 || bytes.length > maxLength) {
            throw new IllegalArgumentException(
                    field + "=" + name + ", expected 1 to " + maxLength + " bytes");
        }
        return bytes;
    }

    /** The UTF-8 bytes of a message, cut between characters where it is too long. */
    public static byte[] message(final String text, final int maxLength) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= maxLength) {
            return bytes;
        }
        int end = maxLength;
        while (end > 0 && (bytes[end] & CONTINUATION_MASK) == FIRST_CONTINUATION) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    /** The text with whatever could forge a line of a log replaced. */
    public static String printable(final String text) {
        final StringBuilder printable = new StringBuilder(text.length());
        text.codePoints().map(c -> endsLine(c) ? '?' : c).forEach(printable::appendCodePoint);
        return printable.toString();
    }

    /** Whether nothing in the text could forge a line of a log. */
    public static boolean isPrintable(final String text) {
        return text.codePoints().noneMatch(Texts::endsLine);
    }

    private static boolean endsLine(final int c) {
        return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
    }
}
