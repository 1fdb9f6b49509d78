// SPDX-License-Identifier: Apache-2.0
package io.spillway.seal;

import io.spillway.frame.FrameReader;
import io.spillway.frame.MalformedFrameException;

/**
 * How what follows a hand-shake is protected; the names are those of {@code hadoop.rpc.protection}.
 */
public enum Protection {
    /** Both sides are proved; what follows is not protected. */
    AUTHENTICATION(0),
    /** All that follows has keyed tags. */
    INTEGRITY(1),
    /** All that follows is encrypted and has keyed tags. */
    PRIVACY(2);

    private final int code;

    Protection(final int code) {
        this.code = code;
    }

    /** The stronger of both. */
    public Protection orStronger(final Protection other) {
        return compareTo(other) < 0 ? other : this;
    }

    /** Whether what follows a hand-shake has keyed tags. */
    public boolean isKeyed() {
        return this != AUTHENTICATION;
    }

    /** What stands for it in frames. */
    public int code() {
        return code;
    }

    /** Reads a field of a frame. */
    public static Protection decode(final FrameReader in) throws MalformedFrameException {
        final int code = in.int32("protection", AUTHENTICATION.code, PRIVACY.code);
        return switch (code) {
            case 0 -> AUTHENTICATION;
            case 1 -> INTEGRITY;
            default -> PRIVACY;
        };
    }
}
