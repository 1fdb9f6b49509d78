// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.spillway.stream.frame.ReadableRegion;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * Bytes of a caller on their way out, written from where they lie. As a buffer of Netty's, bytes of
 * the heap would be copied out of it as soon as they are queued, all at once; so they are when the
 * socket takes them, a bounded piece at a time.
 */
final class BufferRegion extends ReadableRegion {
    /** What the JDK copies out of the heap for one write, into memory that the thread keeps. */
    private static final int MOST_AT_ONCE = 128 << 10;

    private final ByteBuffer bytes;
    private final int length;
    private final Runnable onProgress;

    /**
     * Creates a region.
     *
     * @param bytes a view of its own, from position to limit
     * @param onProgress called when bytes leave
     */
    BufferRegion(final ByteBuffer bytes, final Runnable onProgress) {
        this.bytes = bytes.slice();
        this.length = bytes.remaining();
        this.onProgress = onProgress;
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    public long transferred() {
        return bytes.position();
    }

    @Override
    public long count() {
        return length;
    }

    @Override
    public void read(final ByteBuffer target, final long position) {
        final int count = Math.min(target.remaining(), length - (int) position);
        target.put(bytes.slice((int) position, count));
        onProgress.run();
    }

    @Override
    public long transferTo(final WritableByteChannel target, final long position)
            throws IOException {
        final int start = bytes.position();
        bytes.limit(start + Math.min(MOST_AT_ONCE, length - start));
        try {
            target.write(bytes);
        } finally {
            bytes.limit(length);
        }
        final int written = bytes.position() - start;
        if (written > 0) {
            onProgress.run();
        }
        return written;
    }

    @Override
    protected void deallocate() {
        // The bytes are the caller's.
    }
}
