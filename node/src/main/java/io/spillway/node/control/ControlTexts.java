// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import io.spillway.frame.Texts;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Fields of variable length: four bytes of length, then the bytes. */
final class ControlTexts {
    static final int MAX_PATH_LENGTH = 4096;
    static final int MAX_NAME_LENGTH = 256;

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
        if (bytes.length == 0 || bytes.length > maxLength || !Texts.isPrintable(text)) {
            throw new IllegalArgumentException(
                    field + "=" + text + ", expected 1 to " + maxLength + " printable bytes");
        }
        return bytes;
    }

    /** The bytes of a message without control characters, cut where it is too long. */
    static byte[] message(final String text, final int maxLength) {
        return Texts.message(Texts.printable(text), maxLength);
    }
}
