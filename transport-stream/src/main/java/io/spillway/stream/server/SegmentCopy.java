// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.spillway.protocol.FetchQueue;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.JobBudget;
import io.spillway.transport.serve.ServerStats.Source;
import io.spillway.wire.FetchFrame;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;

/**
 * The piece of a segment that one fetch asks for, where the segment lies in no file: read into
 * memory before any of its answer is sent, so that a read that fails costs one fetch and not the
 * connection. Used by the event loop, but {@link #run}.
 */
final class SegmentCopy implements Runnable {
    private final String jobId;
    private final FetchFrame fetch;
    private final int length;
    private final Source from;
    private final JobBudget memory;
    private final ByteBufAllocator allocator;
    private final Executor readers;
    private final FetchQueue fetches;
    private final Consumer<SegmentCopy> onEnd;
    private ServedSegment segment;
    private ByteBuf bytes;
    private boolean granted;
    private Throwable failure;

    /** The ways to the event loop, made beforehand: they need no memory then. */
    private final Runnable hasMemory = this::startReading;

    private final Runnable hasRead = this::ended;

    /**
     * Takes over the segment. {@link #begin} follows.
     *
     * @param jobId of the client
     * @param length of the piece in bytes, at least 1
     * @param readers threads that may block
     * @param fetches of the connection
     * @param onEnd called by the event loop when the piece was read, or could not be
     */
    SegmentCopy(
            final String jobId,
            final FetchFrame fetch,
            final ServedSegment segment,
            final int length,
            final JobBudget memory,
            final ByteBufAllocator allocator,
            final Executor readers,
            final FetchQueue fetches,
            final Consumer<SegmentCopy> onEnd) {
        this.jobId = jobId;
        this.fetch = fetch;
        this.segment = segment;
        this.length = length;
        this.from = Source.of(segment.tier());
        this.memory = memory;
        this.allocator = allocator;
        this.readers = readers;
        this.fetches = fetches;
        this.onEnd = onEnd;
    }

    /** Reads as soon as there is memory. */
    void begin() {
        if (memory.take(jobId, length, this::memoryGranted)) {
            memoryGranted();
        }
    }

    /** Any thread. */
    private void memoryGranted() {
        granted = true;
        if (!fetches.onThread(hasMemory)) {
            release();
        }
    }

    private void startReading() {
        if (fetches.isClosed()) {
            release();
            return;
        }
        try {
            bytes = allocator.directBuffer(length, length);
        } catch (final RuntimeException | Error e) {
            failure = e;
            ended();
            return;
        }
        try {
            readers.execute(this);
        } catch (final RejectedExecutionException e) {
            failure = e;
            ended();
        } catch (final RuntimeException | Error e) {
            // Whether it will be read is not known: its memory stays taken, and the client goes.
            fetches.lostWay();
        }
    }

    /** On a thread that may block. */
    @Override
    public void run() {
        try {
            read();
        } catch (final IOException | RuntimeException | Error e) {
            failure = e;
        }
        if (!fetches.onThread(hasRead)) {
            release();
        }
    }

    private void read() throws IOException {
        final ByteBuffer target = bytes.nioBuffer(0, length);
        segment.read(fetch.offset(), target);
        if (target.hasRemaining()) {
            throw new EOFException(
                    "bytes read=" + (length - target.remaining()) + ", expected " + length);
        }
        bytes.writerIndex(length);
    }

    private void ended() {
        onEnd.accept(this);
    }

    FetchFrame fetch() {
        return fetch;
    }

    /** What the piece is of, until {@link #take} or {@link #release}. */
    ServedSegment segment() {
        return segment;
    }

    int length() {
        return length;
    }

    /** Where the bytes were. */
    Source from() {
        return from;
    }

    /** Why the piece could not be read; null where all of it was. */
    Throwable failure() {
        return failure;
    }

    /** The bytes, the caller's to send; {@link #release} follows when they have left. */
    ByteBuf take() {
        final ByteBuf taken = bytes;
        bytes = null;
        closeSegment();
        return taken;
    }

    /** Gives back what it still has. */
    void release() {
        closeSegment();
        if (bytes != null) {
            bytes.release();
            bytes = null;
        }
        if (granted) {
            granted = false;
            memory.give(jobId, length);
        }
    }

    private void closeSegment() {
        if (segment != null) {
            segment.close();
            segment = null;
        }
    }
}
