// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

/** A frame of a protocol: its code, and the bounds of its body. Immutable. */
public interface FrameKind {
    /** What stands for it in a header. */
    byte code();

    /** How long its body may be. */
    BodyBounds body();
}
