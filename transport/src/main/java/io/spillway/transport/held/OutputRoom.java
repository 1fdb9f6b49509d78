// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

import io.spillway.transport.SegmentFile;
import io.spillway.transport.serve.SegmentSink;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The room of one output: memory, and files for what memory has no room for. An output that has
 * begun to use files goes on there, so that its pieces lie one behind the other. Used under its
 * output's lock; what was taken may be read without it.
 *
 * <p>A piece is named by its position: in the output's memory, or, as its complement, in the file.
 */
final class OutputRoom {
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
        final long position = memory.take(length);
        if (position < 0) {
            return null;
        }
        final List<ByteBuffer> views = new ArrayList<>(1);
        memory.addViews(position, length, views);
        return new PieceRoom(length, position, views, List.of());
    }

    private PieceRoom takeInFile(final int length) {
        final PieceRoom landing = store.takeForAWhile(length);
        if (landing == null) {
            return null;
        }
        if (file == null) {
            file = new OutputFile(overflow.fileOf(jobId));
        }
        final long position = file.take(length);
        if (position < 0) {
            store.giveAfterAWhile(landing);
            return null;
        }
        return new PieceRoom(length, ~position, landing.memory(), landing.chunks());
    }

    /** Writes a piece to the file. */
    void write(final PieceRoom piece, final SegmentSink.Completion end) {
        overflow.write(file.range(~piece.position(), piece.length()), piece.views(), end);
    }

    /** A piece that stays in a file needs no memory any more. */
    void written(final PieceRoom room) {
        store.giveAfterAWhile(room);
    }

    /** A piece never came, or was there already. */
    void giveBack(final PieceRoom room) {
        if (room.isInFile()) {
            store.giveAfterAWhile(room);
            file.giveBack(room.length(), ~room.position());
        } else {
            memory.giveBack(room.length(), room.position());
        }
    }

    // ---- out -----------------------------------------------------------------------------------

    /** Whether a piece with this position is in a file. */
    static boolean isInFile(final long position) {
        return position < 0;
    }

    /** Adds the bytes of a range in memory, not to be written to. */
    void addBytes(final long position, final int length, final List<ByteBuffer> bytes) {
        final List<ByteBuffer> views = new ArrayList<>(1);
        memory.addViews(position, length, views);
        views.forEach(view -> bytes.add(view.asReadOnlyBuffer()));
    }

    /** Where the bytes of a segment are, of which a piece in a file begins at an offset. */
    SegmentFile file(final long position, final long offset) {
        return file.of(~position, offset);
    }

    // ---- all -----------------------------------------------------------------------------------

    /** What it takes of memory and files, in bytes. */
    long used() {
        return memory.used() + (file == null ? 0 : file.used());
    }

    /** Gives everything back: nothing reads or writes it any more. */
    void free() {
        memory.free();
        if (file != null) {
            file.free();
            file = null;
        }
    }

    /** How full it is, for a message. */
    String fill() {
        return "used="
                + store.used()
                + " of capacity="
                + store.capacity()
                + ", heap used="
                + store.heap().used()
                + " of limit="
                + store.heap().limit()
                + (overflow == null
                        ? ""
                        : ", overflow used="
                                + overflow.used()
                                + " of capacity="
                                + overflow.capacity());
    }
}
