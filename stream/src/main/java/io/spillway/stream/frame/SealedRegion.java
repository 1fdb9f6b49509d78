package io.spillway.stream.frame;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.wire.seal.RecordSeal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;

/**
 * A long message on its way out as records, each of which is sealed when the socket takes it: so
 * little of it is in memory twice.
 */
final class SealedRegion extends ProgressRegion {
    private final Source source;
    private final RecordSeal seal;
    private final long firstRecord;
    private final long length;
    private final ByteBufAllocator allocator;
    private final Runnable release;
    private ByteBuf record;
    private long taken;
    private long transferred;

    /** What is sealed. */
    @FunctionalInterface
    interface Source {
        /** Copies bytes from a position on, until {@code target} is full. */
        void read(ByteBuffer target, long position) throws IOException;
    }

    /**
     * Takes over a message.
     *
     * @param length of it in bytes, at least 1
     * @param release gives the message back
     */
    SealedRegion(
            final Source source,
            final long length,
            final RecordSeal seal,
            final ByteBufAllocator allocator,
            final Runnable release) {
        this.source = source;
        this.seal = seal;
        this.firstRecord = seal.reserve(length);
        this.length = length;
        this.allocator = allocator;
        this.release = release;
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
    public void read(final ByteBuffer target, final long position) {
        throw new UnsupportedOperationException("a sealed region is not sealed again");
    }

    @Override
    public long transferTo(final WritableByteChannel target, final long position)
            throws IOException {
        if (record == null || !record.isReadable()) {
            if (taken == length) {
                return 0;
            }
            sealNext();
        }
        final ByteBuffer bytes = record.nioBuffer();
        final int written = target.write(bytes);
        if (written > 0) {
            record.skipBytes(written);
            transferred += written;
        }
        return written;
    }

    private void sealNext() throws IOException {
        final int count = (int) Math.min(RecordSeal.MAX_LENGTH, length - taken);
        if (record == null) {
            record = allocator.directBuffer(count + RecordSeal.OVERHEAD);
        }
        final ByteBuf plain = allocator.directBuffer(count);
        try {
            final ByteBuffer bytes = plain.nioBuffer(0, count);
            source.read(bytes, taken);
            final ByteBuffer out = record.clear().nioBuffer(0, count + RecordSeal.OVERHEAD);
            seal.seal(firstRecord + taken / RecordSeal.MAX_LENGTH, bytes.flip(), out);
            record.writerIndex(count + RecordSeal.OVERHEAD);
            taken += count;
        } finally {
            plain.release();
        }
    }

    @Override
    protected void deallocate() {
        if (record != null) {
            record.release();
        }
        release.run();
    }
}
