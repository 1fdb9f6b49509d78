// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.memory;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A piece of a segment in memory: a slice of an array that other chunks share. It has one owner at
 * a time: the pool, the transport while a fetch is in flight, the loop, or the task thread. Owners
 * touch nothing outside their slice, so that neighbours need no lock.
 */
public final class Chunk {
    private final byte[] bytes;
    private final int offset;
    private final int capacity;
    private final ByteBuffer view;
    private final boolean pooled;
    private final boolean trimmed;
    private int length;
    private int checksum;

    /** Kept by the pool: whether it is out of the pool, so that nothing comes back twice. */
    boolean out;

    /** A chunk that a pool recycles: {@code capacity} bytes of {@code slab}. */
    public Chunk(final byte[] slab, final int offset, final int capacity) {
        this(slab, offset, capacity, true, false);
    }

    private Chunk(
            final byte[] bytes,
            final int offset,
            final int capacity,
            final boolean pooled,
            final boolean trimmed) {
        this.bytes = bytes;
        this.offset = offset;
        this.capacity = capacity;
        this.view = ByteBuffer.wrap(bytes, offset, capacity).slice();
        this.pooled = pooled;
        this.trimmed = trimmed;
    }

    /** A chunk that no pool knows of: it is garbage once it is consumed. */
    public static Chunk unpooled(final int capacity) {
        return new Chunk(new byte[capacity], 0, capacity, false, false);
    }

    /** A copy of this chunk's content in an array of its own, no larger than it needs. */
    Chunk trimmed() {
        final byte[] content = Arrays.copyOfRange(bytes, offset, end());
        final Chunk copy = new Chunk(content, 0, length, false, true);
        copy.length = length;
        return copy;
    }

    /** Whether it is a copy that counts in the pool's budget with its own size. */
    boolean isTrimmed() {
        return trimmed;
    }

    /** False for a chunk of its own, which is garbage once it is consumed. */
    public boolean isPooled() {
        return pooled;
    }

    /** The array; this chunk's bytes lie in it from {@link #offset} on. */
    public byte[] bytes() {
        return bytes;
    }

    /** Where the chunk, and its content, starts in {@link #bytes}. */
    public int offset() {
        return offset;
    }

    /** The most bytes of content. */
    public int capacity() {
        return capacity;
    }

    /** The destination of a fetch of {@code count} bytes. */
    public ByteBuffer destination(final int count) {
        view.clear().limit(count);
        return view;
    }

    /** The bytes of content. */
    public int length() {
        return length;
    }

    /** Where the content ends in {@link #bytes}. */
    public int end() {
        return offset + length;
    }

    public void length(final int count) {
        length = count;
    }

    /** The CRC32C of what was fetched into it. */
    public int checksum() {
        return checksum;
    }

    public void checksum(final int crc) {
        checksum = crc;
    }
}
