// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.channel;

import io.spillway.frame.BodyBounds;

/** How the bytes of a stream are cut, on every part of their way. */
public final class PieceSizes {
    /** The longest message that carries bytes beside what it says. */
    public static final int MAX_MESSAGE = 8 << 10;

    /** Room in such a message for bytes: they are copied into it. */
    public static final int MAX_INLINE = MAX_MESSAGE - 32;

    /** The longest piece of bytes that goes alone, from where it lies. */
    public static final int MAX_BULK = 256 << 10;

    /** Where the header of each message says how many such bytes follow. */
    public static final int INLINE_OFFSET = 4;

    /** How many there may be. */
    public static final BodyBounds INLINE = new BodyBounds(0, MAX_INLINE);

    private PieceSizes() {}
}
