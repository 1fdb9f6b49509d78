// SPDX-License-Identifier: Apache-2.0
package io.spillway.frame;

/** A frame of a protocol: its code, and the bounds of its body. Immutable. */
public interface FrameKind {
    /** What stands for it in a header, from 1 on. */
    byte code();

    /** The shortest body, in bytes. */
    int minBodyLength();

    /** The longest body, in bytes. */
    int maxBodyLength();
}
