// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.merge;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.memory.ChunkSource;
import io.spillway.ifile.HeadMemory;
import io.spillway.ifile.HeadMemoryException;
import io.spillway.ifile.RecordBuffer;
import io.spillway.ifile.RecordCursor;
import io.spillway.ifile.VInts;
import java.io.IOException;

/**
 * Reads the records of an uncompressed segment in place, out of its chunks.
 *
 * <p>A record that crosses the border of two chunks is stitched together: a small one in an array
 * that the cursor keeps, a larger one only when it is current, in the merge's {@link RecordBuffer}.
 * Until then its key is enough; a key that crosses a border is claimed from the merge's {@link
 * HeadMemory}. The cursor holds one chunk at a time, and gives it back before it waits for the
 * next.
 *
 * <p>A record that lies inside a chunk costs nothing here: {@link RecordCursor#next} parses it in
 * place, and calls {@link #ensure} only near the end of the bytes at hand.
 */
final class ChunkCursor extends RecordCursor {
    private static final byte[] NOTHING = {};

    private final ChunkSource source;
    private final RecordBuffer records;
    private final HeadMemory memory;

    /** The bytes not yet taken from the source. */
    private long untaken;

    private Chunk chunk;

    /** The cursor's own stitching array, accounted for in {@link #memory}. */
    private byte[] own = NOTHING;

    /** Whether {@link #data} is a stitching array: the own one or that of {@link #records}. */
    private boolean stitching;

    /** While stitching: the bytes of the chunk that are in the stitching array, at its end. */
    private int stitched;

    /**
     * Creates a cursor.
     *
     * @param source belongs to the cursor from here on
     * @param records shared by the runs of one merge
     */
    ChunkCursor(final ChunkSource source, final RecordBuffer records) {
        super();
        this.source = source;
        this.records = records;
        this.memory = records.memory();
        this.data = NOTHING;
        this.untaken = source.totalBytes();
    }

    @Override
    protected int mostEagerBytes() {
        return memory.keptHeadBytes();
    }

    @Override
    protected boolean ensure(final int count) throws IOException {
        final int wanted = atHand(count);
        if (limit - position < wanted) {
            gather(wanted, own(wanted));
        }
        return limit - position >= count;
    }

    @Override
    protected boolean ensureRecord(final int count) throws IOException {
        final int wanted = atHand(count);
        if (limit - position < wanted) {
            gather(wanted, records.take(wanted));
            letGo();
        }
        return limit - position >= count;
    }

    /**
     * Reads in place where that is possible.
     *
     * @return how many bytes are to be at hand; no more than there are
     */
    private int atHand(final int count) throws IOException {
        if (stitching) {
            leaveStitch();
        }
        if (limit - position >= count) {
            return count;
        }
        final long available = limit - position + restOfChunk() + untaken;
        if (available < count && count > VInts.MAX_HEADER_LENGTH) {
            return 0;
        }
        if (!stitching && position == limit && untaken > 0) {
            nextChunk();
        }
        return (int) Math.min(count, available);
    }

    /** Reads the chunk in place again, where all bytes at hand come from it. */
    private void leaveStitch() {
        final int left = limit - position;
        if (chunk == null || left > stitched) {
            return;
        }
        stitching = false;
        data = chunk.bytes();
        position = chunk.offset() + stitched - left;
        limit = chunk.end();
        records.leave();
        letGo();
    }

    /** While stitching, the bytes of the chunk that are not yet in the stitching array. */
    private int restOfChunk() {
        return stitching && chunk != null ? chunk.length() - stitched : 0;
    }

    private void nextChunk() throws IOException {
        takeChunk();
        data = chunk.bytes();
        position = chunk.offset();
        limit = chunk.end();
    }

    private void takeChunk() throws IOException {
        releaseChunk();
        chunk = source.next();
        if (chunk == null) {
            throw new IOException("Truncated segment: " + untaken + " more bytes were expected");
        }
        untaken -= chunk.length();
        stitched = 0;
    }

    /** Moves the bytes at hand to the front of a stitching array and fills it up. */
    private void gather(final int wanted, final byte[] target) throws IOException {
        final int left = limit - position;
        System.arraycopy(data, position, target, 0, left);
        if (!stitching) {
            releaseChunk();
            stitching = true;
        }
        data = target;
        position = 0;
        limit = left;
        while (limit < wanted) {
            if (restOfChunk() == 0) {
                takeChunk();
            }
            final int piece = Math.min(wanted - limit, restOfChunk());
            System.arraycopy(chunk.bytes(), chunk.offset() + stitched, target, limit, piece);
            stitched += piece;
            limit += piece;
        }
    }

    /** The cursor's own array, of the given size at least; what is kept is never refused. */
    private byte[] own(final int wanted) throws HeadMemoryException {
        if (own.length >= wanted) {
            return own;
        }
        final int kept = memory.keptHeadBytes();
        final int size = wanted > kept ? wanted : Math.min(kept, Integer.highestOneBit(wanted) * 2);
        if (size > kept) {
            records.claim(size);
        } else {
            memory.take(size);
        }
        memory.release(own.length);
        own = new byte[size];
        return own;
    }

    /** Lets the own array go, unless it is small or in use. */
    private void letGo() {
        if (own.length > memory.keptHeadBytes() && data != own) {
            memory.release(own.length);
            own = NOTHING;
        }
    }

    @Override
    public long heldBytes() {
        return own.length;
    }

    @Override
    protected void onEnd() throws IOException {
        final long left = limit - position + restOfChunk() + untaken;
        if (left > 0) {
            throw new IOException(
                    "Corrupt segment: " + left + " bytes after the end marker, expected none");
        }
        releaseChunk();
        if (source.next() != null) {
            throw new IOException("Corrupt segment: longer than its length says");
        }
    }

    private void releaseChunk() {
        if (chunk != null) {
            final Chunk consumed = chunk;
            chunk = null;
            source.release(consumed);
        }
    }

    @Override
    public void close() {
        releaseChunk();
        memory.release(own.length);
        own = NOTHING;
        source.close();
    }
}
