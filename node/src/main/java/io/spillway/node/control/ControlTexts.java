package io.spillway.node.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Fields of variable length: four bytes of length, then the bytes. */
final class ControlTexts {
    static final int MAX_PATH_LENGTH = 4096;
    static final int MAX_NAME_LENGTH = 256;

    private static final int FIRST_CONTINUATION = 0x80;
    private static final int CONTINUATION_MASK = 0xC0;

    private ControlTexts() {}

    /** The bytes that a field of this content takes. */
    static int lengthOf(final byte[] content) {
        return Integer.BYTES + content.length;
    }

    static void put(final ByteBuffer out, final byte[] content) {
        out.putInt(content.length).put(content);
    }

    /** The bytes of a text that has to fit. */
    static byte[] bytes(final String field, final String text, final int maxLength) {
        final byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        if (bytes.length == 0 || bytes.length > maxLength || !isPrintable(text)) {
            throw new IllegalArgumentException(
                    field + "=" + text + ", expected 1 to " + maxLength + " printable bytes");
        }
        return bytes;
    }

    /** The bytes of a message, cut between characters where it is too long. */
    static byte[] message(final String text, final int maxLength) {
        final byte[] bytes = printable(text).getBytes(StandardCharsets.UTF_8);
        if (bytes.length <= maxLength) {
            return bytes;
        }
        int end = maxLength;
        while (end > 0 && (bytes[end] & CONTINUATION_MASK) == FIRST_CONTINUATION) {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }

    static boolean isPrintable(final String text) {
        return text.codePoints().noneMatch(ControlTexts::endsLine);
    }

    private static String printable(final String text) {
        final StringBuilder printable = new StringBuilder(text.length());
        text.codePoints().map(c -> endsLine(c) ? '?' : c).forEach(printable::appendCodePoint);
        return printable.toString();
    }

    private static boolean endsLine(final int c) {
        return Character.isISOControl(c) || c == 0x2028 || c == 0x2029;
    }
}
