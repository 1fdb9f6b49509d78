package io.spillway.memory;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory of one output: its pieces lie one behind the other in chunks that it has to itself, so
 * that small pieces waste none, and an output one chunk at most. Used under its output's lock.
 */
final class OutputMemory {
    /** What is kept about a piece on the heap, about. */
    private static final int PIECE_OVERHEAD = 256;

    private final SegmentMemory memory;
    private final List<ByteBuffer> chunks = new ArrayList<>();

    /** Room of pieces that never came, by its length: the same pieces come again. */
    private final Map<Integer, Deque<List<ByteBuffer>>> unused = new HashMap<>();

    private ByteBuffer current = ByteBuffer.allocate(0);

    /** The chunks that pieces have been cut from: the first so many. */
    private int begun;

    private long charged;

    OutputMemory(final SegmentMemory memory) {
        this.memory = memory;
    }

    /** Room for a piece; null where there is none. */
    List<ByteBuffer> take(final int length) {
        final Deque<List<ByteBuffer>> left = unused.get(length);
        if (left != null && !left.isEmpty()) {
            return left.pop();
        }
        return reserve(length) && charge(PIECE_OVERHEAD) ? cut(length) : null;
    }

    /** Takes chunks until a piece fits; where they do not suffice they stay for smaller pieces. */
    private boolean reserve(final int length) {
        long room = current.remaining() + spare();
        while (room < length) {
            final ByteBuffer chunk = memory.take();
            if (chunk == null) {
                return false;
            }
            chunks.add(chunk);
            room += chunk.capacity();
        }
        return true;
    }

    /** The bytes of chunks that no piece has been cut from. */
    private long spare() {
        return (long) (chunks.size() - begun) * memory.chunkBytes();
    }

    private List<ByteBuffer> cut(final int length) {
        final List<ByteBuffer> pieces = new ArrayList<>(2);
        int left = length;
        while (left > 0) {
            if (!current.hasRemaining()) {
                current = chunks.get(begun++).duplicate().clear();
            }
            final int count = Math.min(left, current.remaining());
            pieces.add(current.slice(current.position(), count));
            current.position(current.position() + count);
            left -= count;
        }
        return pieces;
    }

    /** A piece never came, or was there already. */
    void giveBack(final int length, final List<ByteBuffer> room) {
        unused.computeIfAbsent(length, key -> new ArrayDeque<>()).push(room);
    }

    /** Counts bytes of the heap; returns whether there is room for them. */
    boolean charge(final long bytes) {
        if (!memory.charge(bytes)) {
            return false;
        }
        charged += bytes;
        return true;
    }

    /** What it takes of the store's capacity, in bytes. */
    long used() {
        return (long) chunks.size() * memory.chunkBytes() + charged;
    }

    /** Gives everything back: nothing reads or writes it any more. */
    void free() {
        memory.give(chunks);
        memory.discharge(charged);
        chunks.clear();
        unused.clear();
        charged = 0;
    }
}
