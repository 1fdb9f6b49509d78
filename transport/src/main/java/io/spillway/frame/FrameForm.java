// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

/**
 * What the headers of a protocol have in common: each begins with one byte of type and one of
 * version. Immutable.
 *
 * @param firstCode of the first type; the others follow one by one
 * @param headerLength the bytes of a header
 * @param lengthOffset where in a header four bytes say how long the body is; 0 where the end of a
 *     frame is known without
 * @param longTexts whether texts and blocks have four bytes of length before them; else two
 */
public record FrameForm(int firstCode, int headerLength, int lengthOffset, boolean longTexts) {
    /** Type, version and length of the body, as in {@link FrameHeader}. */
    public static final FrameForm SHORT_TEXTS =
            new FrameForm(1, FrameHeader.LENGTH, FrameHeader.BODY_LENGTH_OFFSET, false);

    /** The same, with long texts in the body. */
    public static final FrameForm LONG_TEXTS =
            new FrameForm(1, FrameHeader.LENGTH, FrameHeader.BODY_LENGTH_OFFSET, true);

    /** Type and version only: a message whose end is known. */
    public static final FrameForm MESSAGE =
            new FrameForm(1, FrameHeader.BODY_LENGTH_OFFSET, 0, false);

    /** Whether headers say how long the body is. */
    boolean hasLength() {
        return lengthOffset > 0;
    }
}
