// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import java.io.IOException;

/**
 * Bytes that are no valid frame; the message names the frame, the field, its value and what was
 * expected.
 */
public class MalformedFrameException extends IOException {
    private static final long serialVersionUID = 1L;

    /** Creates the exception. */
    public MalformedFrameException(final String message) {
        super(message);
    }

    /** Says which frame and field it is, what came and what was expected. */
    public static MalformedFrameException of(
            final Object frame, final String field, final Object value, final String expected) {
        return new MalformedFrameException(
                frame + " frame: " + field + "=" + value + ", expected " + expected);
    }

    /**
     * Checks a field, which errors name so.
     *
     * @return the value
     */
    public static long require(
            final Object frame,
            final String field,
            final long value,
            final long least,
            final long most)
            throws MalformedFrameException {
        if (value < least || value > most) {
            throw of(
                    frame,
                    field,
                    value,
                    most == Long.MAX_VALUE ? "at least " + least : least + " to " + most);
        }
        return value;
    }
}
