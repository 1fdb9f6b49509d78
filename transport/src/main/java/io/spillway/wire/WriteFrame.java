// SPDX-License-Identifier: Apache-2.0
package io.spillway.wire;

import java.nio.ByteBuffer;

/**
 * A request that brings bytes to a node: {@link #payloadLength} of them follow the frame. The
 * answer is an {@link AckFrame}, to a {@link CallFrame} an {@link AnswerFrame}, or a {@link
 * FailedFrame}.
 *
 * <p>Its last field is a guard, the CRC32C of all fields before it: a bit that is turned on the way
 * is noticed before anything is done with the request.
 */
public sealed interface WriteFrame permits PutFrame, CommitFrame, AbortFrame, CallFrame {
    /** Chosen by the client, comes back with the answer. */
    long requestId();

    /** The bytes that follow the frame, at least 0. */
    int payloadLength();

    /** The CRC32C of the bytes that follow. */
    int checksum();

    /** Writes header and body. */
    void encode(ByteBuffer out, int version);

    /** The last field, as a version lays the frame out. */
    default int guard(final int version) {
        final ByteBuffer encoded = ByteBuffer.allocate(PutFrame.MAX_LENGTH);
        encode(encoded, version);
        return encoded.getInt(encoded.position() - Guard.LENGTH);
    }
}
