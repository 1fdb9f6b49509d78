// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;

/**
 * The protection of the bytes after a hand-shake. The names are those of {@code
 * hadoop.rpc.protection}.
 */
public enum Protection {
    /** Both sides prove themselves; the bytes after the hand-shake are not protected. */
    AUTHENTICATION(0),
    /** All bytes after the hand-shake have keyed tags. */
    INTEGRITY(1),
    /** All bytes after the hand-shake are encrypted and have keyed tags. */
    PRIVACY(2);

    private final int code;

    Protection(final int code) {
        this.code = code;
    }

    /** Returns the stronger of both. */
    public Protection orStronger(final Protection other) {
        return compareTo(other) < 0 ? other : this;
    }

    /** Whether the bytes after a hand-shake have keyed tags. */
    public boolean isKeyed() {
        return this != AUTHENTICATION;
    }

    /** The code in frames. */
    public int code() {
        return code;
    }

    /** Reads the code from a frame. */
    public static Protection decode(final FrameReader in) throws MalformedFrameException {
        final int code = in.int32("protection", AUTHENTICATION.code, PRIVACY.code);
        return switch (code) {
            case 0 -> AUTHENTICATION;
            case 1 -> INTEGRITY;
            default -> PRIVACY;
        };
    }
}
