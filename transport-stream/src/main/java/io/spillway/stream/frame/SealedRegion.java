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
final class SealedRegion extends ReadableRegion {
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

    /** In their order only. */
    @Override
    public void read(final ByteBuffer target, final long position) throws IOException {
        while (target.hasRemaining() && isAnyLeft()) {
            final int count = Math.min(target.remaining(), records.readableBytes());
            final int end = target.limit();
            records.readBytes(target.limit(target.position() + count));
            target.limit(end);
            transferred += count;
        }
    }

    /** Seals the next records where all that were are taken. */
    private boolean isAnyLeft() throws IOException {
        if (records != null && records.isReadable()) {
            return true;
        }
        if (taken == length) {
            return false;
        }
        sealNext();
        return true;
    }

    @Override
    public long transferTo(final WritableByteChannel target, final long position)
            throws IOException {
        if (!isAnyLeft()) {
            return 0;
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
        final int sealedLength = (int) RecordSeal.sealedLength(count);
        final ByteBuffer out = records.clear().nioBuffer(0, sealedLength);
        if (message instanceof ByteBuf bytes) {
            seal.seal(nextRecord(), bytes.nioBuffer(bytes.readerIndex() + (int) taken, count), out);
            taken += count;
        } else {
            sealRead((ReadableRegion) message, out);
        }
        records.writerIndex(sealedLength);
    }

    private long nextRecord() {
        return firstRecord + taken / RecordSeal.MAX_LENGTH;
    }

    /** Reads the bytes of each record into its place in the output. */
    private void sealRead(final ReadableRegion region, final ByteBuffer out) throws IOException {
        while (out.hasRemaining()) {
            final int count = (int) Math.min(RecordSeal.MAX_LENGTH, length - taken);
            final ByteBuffer record = out.slice(out.position(), count + RecordSeal.OVERHEAD);
            region.read(record.slice(RecordSeal.BYTES_OFFSET, count), taken);
            seal.sealInPlace(nextRecord(), record);
            out.position(out.position() + record.capacity());
            taken += count;
        }
    }

    @Override
    protected void deallocate() {
        if (records != null) {
            records.release();
        }
        message.release();
    }
}
