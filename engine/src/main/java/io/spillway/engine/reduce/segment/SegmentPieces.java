// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;

/**
 * The pieces of one segment by offset: which are to be asked for next, and which have arrived and
 * wait for those before them. Owned by the loop's thread.
 */
final class SegmentPieces {
    private final int pieceLength;
    private final Map<Long, Chunk> arrived = new HashMap<>();
    private final PriorityQueue<Long> again = new PriorityQueue<>();
    private long nextOffset;
    private boolean headRequested;

    /** Creates the pieces of a segment of which nothing was asked for. */
    SegmentPieces(final int pieceLength) {
        this.pieceLength = pieceLength;
    }

    /** The pieces of the same segment from {@code offset} on; what comes before is not needed. */
    SegmentPieces restFrom(final long offset) {
        final SegmentPieces rest = new SegmentPieces(pieceLength);
        rest.nextOffset = offset;
        rest.headRequested = true;
        return rest;
    }

    /** Where the bytes end that were asked for at least once. */
    long requestedEnd() {
        return nextOffset;
    }

    /** Whether the head, which goes alone, has been asked for. */
    boolean isHeadRequested() {
        return headRequested;
    }

    /** Whether there is something to ask for of a segment of {@code length} bytes. */
    boolean wantsMore(final long length) {
        return !again.isEmpty() || nextOffset < length;
    }

    /** Takes the offset of the next request. */
    long takeOffset() {
        headRequested = true;
        if (!again.isEmpty()) {
            return again.poll();
        }
        final long offset = nextOffset;
        nextOffset += pieceLength;
        return offset;
    }

    /** The bytes that a request at {@code offset} asks for. */
    int wantedAt(final long offset, final long length) {
        return (int) Math.min(pieceLength, length - offset);
    }

    /** A piece is to be asked for once more. */
    void askAgain(final long offset) {
        again.add(offset);
    }

    /** The head is to be asked for once more; nothing else was. */
    void askForHeadAgain() {
        headRequested = false;
        nextOffset = 0;
    }

    void arrive(final long offset, final Chunk chunk) {
        arrived.put(offset, chunk);
    }

    /** Takes out what has arrived for {@code offset}, or null. */
    Chunk take(final long offset) {
        return arrived.remove(offset);
    }

    /** Whether pieces have arrived, and one before them is to be asked for once more. */
    boolean isBehindGap() {
        return !arrived.isEmpty() && !again.isEmpty();
    }

    /** Takes the last piece out; it is to be asked for once more. */
    Chunk sacrifice() {
        final long last = Collections.max(arrived.keySet());
        again.add(last);
        return arrived.remove(last);
    }

    /** Takes every piece out. */
    List<Chunk> drain() {
        final List<Chunk> chunks = new ArrayList<>(arrived.values());
        arrived.clear();
        return chunks;
    }
}
