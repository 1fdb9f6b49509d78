package io.spillway.hadoop.reduce;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A piece of a segment in memory. It has one owner at a time: the pool, the transport while a fetch
 * is in flight, the coordinator, or the task thread.
 */
final class Chunk {
    private final byte[] bytes;
    private final ByteBuffer view;
    private final boolean pooled;
    private int length;

    /** A chunk that a pool recycles. */
    Chunk(final int size) {
        this(new byte[size], true);
    }

    private Chunk(final byte[] bytes, final boolean pooled) {
        this.bytes = bytes;
        this.view = ByteBuffer.wrap(bytes);
        this.pooled = pooled;
    }

    /** A copy of this chunk's content in no more memory than it needs. */
    Chunk trimmed() {
        final Chunk copy = new Chunk(Arrays.copyOf(bytes, length), false);
        copy.length = length;
        return copy;
    }

    /** False for a trimmed chunk, which is garbage once it is consumed. */
    boolean isPooled() {
        return pooled;
    }

    byte[] bytes() {
        return bytes;
    }

    /** The destination of a fetch of {@code count} bytes. */
    ByteBuffer destination(final int count) {
        view.clear().limit(count);
        return view;
    }

    /** The bytes of content, from index 0 on. */
    int length() {
        return length;
    }

    void length(final int count) {
        length = count;
    }
}
