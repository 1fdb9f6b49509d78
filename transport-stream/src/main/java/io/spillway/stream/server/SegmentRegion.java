// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.spillway.stream.frame.ReadableRegion;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.ServedSegment;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * A piece of a segment on its way out, by sendfile. Unlike Netty's {@code DefaultFileRegion} it
 * does not own the file, which others read too: its last release gives the segment back.
 *
 * <p>The event loop waits for the disk where the page cache does not hold the piece, as it does in
 * the stock handler; one such wait is bounded by what fits in the socket's send buffer.
 */
final class SegmentRegion extends ReadableRegion {
    private final ServedSegment segment;
    private final SegmentFile file;
    private final long offset;
    private final int length;
    private final Runnable onProgress;
    private long transferred;

    /**
     * Takes over a segment.
     *
     * @param file that the segment lies in
     * @param onProgress called when bytes leave
     */
    SegmentRegion(
            final ServedSegment segment,
            final SegmentFile file,
            final long offset,
            final int length,
            final Runnable onProgress) {
        this.segment = segment;
        this.file = file;
        this.offset = offset;
        this.length = length;
        this.onProgress = onProgress;
    }

    @Override
    public long position() {
        return file.position() + offset;
    }

    @Override
    public long transferred() {
        return transferred;
    }

    @Override
    public long count() {
        return length;
    }

    @Override
    public void read(final ByteBuffer target, final long position) throws IOException {
        final int end = target.limit();
        target.limit((int) Math.min(end, target.position() + length - position));
        long from = position() + position;
        while (target.hasRemaining()) {
            final int count = readFrom(target, from);
            if (count < 0) {
                throw file.truncated(position() + length);
            }
            from += count;
        }
        target.limit(end);
        onProgress.run();
    }

    @Override
    public long transferTo(final WritableByteChannel target, final long position)
            throws IOException {
        final long left = length - position;
        if (left <= 0) {
            return 0;
        }
        final long start = position() + position;
        final long written = transfer(start, left, target);
        if (written > 0) {
            transferred += written;
            onProgress.run();
        } else {
            checkNotTruncated(start);
        }
        return written;
    }

    private int readFrom(final ByteBuffer target, final long from) throws IOException {
        try {
            return file.channel().read(target, from);
        } catch (final IOException e) {
            segment.fileFailed(e);
            throw e;
        }
    }

    /**
     * A failed sendfile does not say whether the file or the socket has failed. A read of one byte
     * of the file does.
     */
    private long transfer(final long start, final long left, final WritableByteChannel target)
            throws IOException {
        try {
            return file.channel().transferTo(start, left, target);
        } catch (final IOException e) {
            try {
                readFrom(ByteBuffer.allocate(1), start);
            } catch (final IOException ofFile) {
                e.addSuppressed(ofFile);
            }
            throw e;
        }
    }

    /** Nothing written is the socket's doing or the file's: without this, the latter would spin. */
    private void checkNotTruncated(final long start) throws IOException {
        if (start >= file.channel().size()) {
            throw file.truncated(position() + length);
        }
    }

    @Override
    protected void deallocate() {
        segment.close();
    }
}
