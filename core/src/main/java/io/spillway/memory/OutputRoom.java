package io.spillway.memory;

import java.nio.ByteBuffer;
import java.util.List;

/**
 * The room of one output: memory, and files for what memory has no room for. An output that has
 * begun to use files goes on there, so that its pieces lie one behind the other. Used under its
 * output's lock.
 */
final class OutputRoom {
    /** What is kept about a piece on the heap, about. */
    private static final int PIECE_OVERHEAD = 256;

    private final String jobId;
    private final SegmentMemory store;
    private final OverflowStore overflow;
    private final OutputMemory memory;

    /** Null while all is in memory. */
    private OutputFile file;

    /**
     * Creates room that takes nothing yet.
     *
     * @param overflowOrNull without it, there is memory only
     */
    OutputRoom(final String jobId, final SegmentMemory store, final OverflowStore overflowOrNull) {
        this.jobId = jobId;
        this.store = store;
        this.overflow = overflowOrNull;
        this.memory = new OutputMemory(store);
    }

    /** The most bytes that any output can have. */
    long most() {
        return store.capacity() + (overflow == null ? 0 : overflow.limit());
    }

    /** Room for a piece; null where there is none. */
    PieceRoom take(final int length) {
        if (file == null) {
            final PieceRoom room = takeInMemory(length);
            return room != null || overflow == null ? room : takeInFile(length);
        }
        final PieceRoom room = takeInFile(length);
        return room != null ? room : takeInMemory(length);
    }

    private PieceRoom takeInMemory(final int length) {
        final List<ByteBuffer> room = memory.take(length);
        return room == null ? null : PieceRoom.inMemory(length, room);
    }

    private PieceRoom takeInFile(final int length) {
        final PieceRoom landing = store.takeForAWhile(length);
        if (landing == null) {
            return null;
        }
        if (file == null) {
            file = new OutputFile(overflow.fileOf(jobId));
        }
        final boolean isNew = !file.hasUnused(length);
        final FileRange range = file.take(length);
        final PieceRoom room = new PieceRoom(length, landing.memory(), landing.chunks(), range);
        if (range == null) {
            store.giveAfterAWhile(room);
            return null;
        }
        if (isNew && !charge(PIECE_OVERHEAD)) {
            giveBack(room);
            return null;
        }
        return room;
    }

    /** A piece that stays in a file needs no memory any more. */
    void written(final PieceRoom room) {
        store.giveAfterAWhile(room);
    }

    /** A piece never came, or was there already. */
    void giveBack(final PieceRoom room) {
        if (room.isInFile()) {
            store.giveAfterAWhile(room);
            file.giveBack(room.range());
        } else {
            memory.giveBack(room.length(), room.memory());
        }
    }

    /** Counts bytes of the heap; returns whether there is room for them. */
    boolean charge(final long bytes) {
        return memory.charge(bytes);
    }

    /** What it takes of memory and files, in bytes. */
    long used() {
        return memory.used() + (file == null ? 0 : file.used());
    }

    /** Gives everything back: nothing reads or writes it any more. */
    void free() {
        memory.free();
        if (file != null) {
            file.free();
        }
    }

    /** How full it is, for a message. */
    String fill() {
        return "used="
                + store.used()
                + " of capacity="
                + store.capacity()
                + (overflow == null
                        ? ""
                        : ", overflow used="
                                + overflow.used()
                                + " of capacity="
                                + overflow.capacity());
    }
}
