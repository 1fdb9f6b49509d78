package io.spillway.memory;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * Room for one piece. Immutable.
 *
 * @param length of the piece in bytes
 * @param memory where its bytes arrive: all of each buffer. They stay there where there is no range
 * @param chunks what the memory was cut from, to be given back when the piece is in its file; empty
 *     where it stays in memory, or has arrived on the heap
 * @param range in a file; null where the piece stays in memory
 */
record PieceRoom(int length, List<ByteBuffer> memory, List<ByteBuffer> chunks, FileRange range) {
    /** A piece without bytes, or one that is here already. */
    static final PieceRoom NONE = inMemory(0, List.of());

    static PieceRoom inMemory(final int length, final List<ByteBuffer> memory) {
        return new PieceRoom(length, memory, List.of(), null);
    }

    boolean isInFile() {
        return range != null;
    }

    /** Views of their own: where the pieces lie is kept by position and limit. */
    List<ByteBuffer> views() {
        return memory.stream().map(ByteBuffer::duplicate).toList();
    }
}
