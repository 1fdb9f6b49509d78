// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import io.spillway.transport.CachedBytes;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.ServerStats.Source;
import io.spillway.transport.ucx.worker.BufferPool;
import io.spillway.transport.ucx.worker.Message;
import io.spillway.wire.FetchFrame;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.openucx.jucx.ucp.UcpRequestParams;

/**
 * One fetch being answered with bytes: holds what they come from until they are read, and the
 * memory that they are sent from until they are sent. That is memory of their job, also for bytes
 * that lie in memory already: UCX would register it for the send, and let the client at it. Used by
 * the thread of UCX, but {@link #run}.
 */
final class Answer implements BufferPool.Waiter, Message.Listener, Runnable {
    private final PathAnswers queue;
    private final FetchFrame fetch;
    private final int length;
    private final Source from;

    /** The number of the message of its bytes, once they are read. */
    private long number;

    /** The tags of its bytes, once they are read. */
    private byte[] tags;

    private ServedSegment segment;
    private CachedBytes cached;
    private BufferPool.Buffer buffer;
    private boolean waiting;
    private Throwable failure;

    /** The way back from {@link #run}, made beforehand: it needs no memory then. */
    private final Runnable hasRead = this::hasRead;

    /**
     * Takes over the segment, and the piece of it that is in memory.
     *
     * @param length the bytes to send, at least 1
     * @param cached null where they are to be read from the segment
     */
    Answer(
            final PathAnswers queue,
            final FetchFrame fetch,
            final ServedSegment segment,
            final CachedBytes cached,
            final int length) {
        this.queue = queue;
        this.fetch = fetch;
        this.segment = segment;
        this.cached = cached;
        this.length = length;
        this.from = cached == null ? Source.of(segment.tier()) : Source.CACHE;
    }

    /** Where its bytes were. */
    Source from() {
        return from;
    }

    FetchFrame fetch() {
        return fetch;
    }

    ServedSegment segment() {
        return segment;
    }

    long number() {
        return number;
    }

    byte[] tags() {
        return tags;
    }

    long address() {
        return buffer.address();
    }

    UcpRequestParams params() {
        return buffer.params();
    }

    // ---- room ----------------------------------------------------------------------------------

    void awaitBuffer(final BufferPool buffers) {
        waiting = true;
        buffers.request(this);
    }

    @Override
    public String jobId() {
        return queue.jobId();
    }

    @Override
    public int length() {
        return length;
    }

    @Override
    public boolean isWaiting() {
        return waiting;
    }

    @Override
    public void onBuffer(final BufferPool.Buffer newBuffer) {
        waiting = false;
        buffer = newBuffer;
        queue.hasBuffer(this);
    }

    @Override
    public void onNoBuffer(final Throwable cause) {
        waiting = false;
        queue.hasNoBuffer(this, cause);
    }

    // ---- bytes ---------------------------------------------------------------------------------

    /** Brings the bytes into the buffer, and seals them; on a thread that may block. */
    @Override
    public void run() {
        try {
            read();
        } catch (final IOException | RuntimeException | Error e) {
            failure = e;
        }
        queue.onThread(this, hasRead);
    }

    private void hasRead() {
        queue.hasRead(this, failure);
    }

    private void read() throws IOException {
        final ByteBuffer target = buffer.bytes().duplicate();
        if (cached == null) {
            segment.read(fetch.offset(), target);
        } else {
            cached.buffers().forEach(piece -> target.put(piece.duplicate()));
        }
        if (target.hasRemaining()) {
            throw new EOFException(
                    "bytes read=" + (length - target.remaining()) + ", expected " + length);
        }
        // Not before: a client opens no message that comes long after those with higher numbers.
        number = queue.seal().reserve();
        tags = queue.seal().sealBody(number, target.flip());
    }

    // ---- the end -------------------------------------------------------------------------------

    /** The segment is not needed any more: its bytes are in memory. */
    void closeSegment() {
        if (segment != null) {
            segment.close();
            segment = null;
        }
    }

    /** Gives everything back; without the thread of UCX there is no pool either. */
    void abandon(final boolean hasPool) {
        waiting = false;
        closeSegment();
        if (cached != null) {
            cached.close();
            cached = null;
        }
        if (buffer != null && hasPool) {
            final BufferPool.Buffer released = buffer;
            buffer = null;
            released.release();
        }
    }

    @Override
    public void onSent(final boolean wentOut) {
        if (wentOut && cached != null) {
            cached.sent();
        }
        abandon(true);
        queue.sent(this, wentOut);
    }
}
