// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.control;

import java.nio.ByteBuffer;

/**
 * A frame as it came in, to be decoded by the descriptor of its type.
 *
 * @param type the frame
 * @param body its body, from position to limit
 */
public record ControlFrame(ControlFrameType type, ByteBuffer body) {}
