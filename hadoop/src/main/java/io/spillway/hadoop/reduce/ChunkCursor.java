package io.spillway.hadoop.reduce;

import io.spillway.ifile.VInts;
import io.spillway.sort.RecordCursor;
import java.io.IOException;

/**
 * Reads the records of an uncompressed segment in place, out of its chunks.
 *
 * <p>A record that crosses the border of two chunks is stitched together in an array of the
 * cursor's own. It grows to the record's size, which may be more than all windows together: such a
 * record is the one thing that takes memory beyond the shuffle's budget. The cursor holds one chunk
 * at a time, and gives it back before it waits for the next.
 *
 * <p>A record that lies inside a chunk costs nothing here: {@link RecordCursor#next} parses it in
 * place, and calls {@link #ensure} only near the end of the bytes at hand.
 */
final class ChunkCursor extends RecordCursor {
    private static final byte[] NOTHING = {};

    /** A stitching array larger than this is let go once its record has been consumed. */
    private static final int KEPT_BYTES = 1 << 20;

    private final ChunkSource source;

    /** The bytes not yet taken from the source. */
    private long untaken;

    private Chunk chunk;
    private byte[] stitch = NOTHING;

    /** Whether {@link #data} is the stitching array. */
    private boolean stitching;

    /** While stitching: the bytes of the chunk that are in the stitching array, at its end. */
    private int stitched;

    ChunkCursor(final ChunkSource source) {
        super();
        this.source = source;
        this.data = NOTHING;
        this.untaken = source.totalBytes();
    }

    @Override
    protected boolean ensure(final int count) throws IOException {
        if (stitching) {
            leaveStitch();
        }
        if (limit - position >= count) {
            return true;
        }
        final long available = limit - position + restOfChunk() + untaken;
        if (available < count && count > VInts.MAX_HEADER_LENGTH) {
            return false;
        }
        if (!stitching && position == limit && untaken > 0) {
            nextChunk();
        }
        final int wanted = (int) Math.min(count, available);
        if (limit - position < wanted) {
            gather(wanted);
        }
        return limit - position >= count;
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
        if (stitch.length > KEPT_BYTES) {
            stitch = NOTHING;
        }
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

    /** Moves the bytes at hand to the front of the stitching array and fills it up. */
    private void gather(final int wanted) throws IOException {
        final int left = limit - position;
        final byte[] target = stitch.length >= wanted ? stitch : new byte[grown(wanted)];
        System.arraycopy(data, position, target, 0, left);
        if (!stitching) {
            releaseChunk();
            stitching = true;
        }
        stitch = target;
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

    private int grown(final int wanted) {
        return (int) Math.max(wanted, Math.min(2L * stitch.length, KEPT_BYTES));
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
        source.close();
    }
}
