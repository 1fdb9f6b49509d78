// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Room for one piece. Immutable.
 *
 * @param length of the piece in bytes
 * @param position where its bytes stay: see {@link OutputRoom}
 * @param memory where its bytes arrive: all of each buffer
 * @param chunks what the memory was cut from, to be given back when the piece is in its file; empty
 *     where it stays in memory, or has arrived on the heap
 */
record PieceRoom(int length, long position, List<ByteBuffer> memory, List<ByteBuffer> chunks) {
    /** A piece without bytes, or one that is here already. */
    static final PieceRoom NONE = new PieceRoom(0, 0, List.of(), List.of());

    boolean isInFile() {
        return OutputRoom.isInFile(position);
    }

    /** Views of their own: where the pieces lie is kept by position and limit. */
    List<ByteBuffer> views() {
        return memory.stream().map(ByteBuffer::duplicate).toList();
    }
}
