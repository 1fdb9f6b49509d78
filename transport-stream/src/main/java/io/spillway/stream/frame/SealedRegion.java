// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.util.ReferenceCounted;
import io.spillway.seal.RecordSeal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * A long message on its way out as records, some of which are sealed whenever the socket takes
 * them: so little of it is in memory twice.
 */
final class SealedRegion extends ProgressRegion {
    /** As many bytes as one write to a socket takes; whole records. */
    private static final int MOST_AT_ONCE = 4 * RecordSeal.MAX_LENGTH;

    private final ReferenceCounted message;
    private final RecordSeal seal;
    private final long firstRecord;
    private final long length;
    private final ByteBufAllocator allocator;
    private ByteBuf records;
    private long taken;
    private long transferred;

    /**
     * Takes over a message.
     *
     * @param message a buffer or a {@link ReadableRegion}
     * @param length of it in bytes, at least 1
     */
    SealedRegion(
            final ReferenceCounted message,
            final long length,
            final RecordSeal seal,
            final ByteBufAllocator allocator) {
        this.message = message;
        this.seal = seal;
        this.firstRecord = seal.reserve(length);
        this.length = length;
        this.allocator = allocator;
    }

    @Override
    public long position() {
        return 0;
    }

    @Override
    public long transferred() {
        return transferred;
    }

    @Override
    public long count() {
        return RecordSeal.sealedLength(length);
    }

    @Override
    public long transferTo(final WritableByteChannel target, final long position)
            throws IOException {
        if (records == null || !records.isReadable()) {
            if (taken == length) {
                return 0;
            }
            sealNext();
        }
        final ByteBuffer bytes = records.nioBuffer();
        final int written = target.write(bytes);
        if (written > 0) {
            records.skipBytes(written);
            transferred += written;
        }
        return written;
    }

    private void sealNext() throws IOException {
        final int count = (int) Math.min(MOST_AT_ONCE, length - taken);
        if (records == null) {
            records = allocator.directBuffer((int) RecordSeal.sealedLength(count));
        }
        if (message instanceof ByteBuf bytes) {
            seal(bytes.nioBuffer(bytes.readerIndex() + (int) taken, count));
        } else {
            sealCopy((ReadableRegion) message, count);
        }
        taken += count;
    }

    private void sealCopy(final ReadableRegion region, final int count) throws IOException {
        final ByteBuf copy = allocator.directBuffer(count);
        try {
            final ByteBuffer bytes = copy.nioBuffer(0, count);
            region.read(bytes, taken);
            seal(bytes.flip());
        } finally {
            copy.release();
        }
    }

    private void seal(final ByteBuffer bytes) {
        final int sealedLength = (int) RecordSeal.sealedLength(bytes.remaining());
        final ByteBuffer out = records.clear().nioBuffer(0, sealedLength);
        seal.seal(firstRecord + taken / RecordSeal.MAX_LENGTH, bytes, out);
        records.writerIndex(sealedLength);
    }

    @Override
    protected void deallocate() {
        if (records != null) {
            records.release();
        }
        message.release();
    }
}
