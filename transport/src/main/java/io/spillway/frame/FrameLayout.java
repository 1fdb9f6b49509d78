// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

import java.nio.ByteBuffer;

/** Writes one frame, header and body, as a version of its protocol lays it out. */
@FunctionalInterface
public interface FrameLayout {
    /** Writes the frame at the position of {@code out}, and moves it behind. */
    void encode(ByteBuffer out, int version);
}
