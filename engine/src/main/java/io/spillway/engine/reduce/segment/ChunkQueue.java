// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.segment;

import io.spillway.engine.reduce.memory.Chunk;
import io.spillway.engine.reduce.thread.StallCause;
import io.spillway.engine.reduce.thread.StallClock;
import io.spillway.thread.Uninterrupted;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Hands one segment's chunks from the loop to the task thread. Thread-safe. */
public final class ChunkQueue {
    private final Deque<Chunk> chunks = new ArrayDeque<>();
    private boolean ended;
    private IOException failure;

    /** Whether chunks were put that nothing has verified; the end verifies them. */
    private boolean unverified;

    /** Why there is nothing to take, when that is so; kept by the loop. */
    private volatile StallCause lack = StallCause.BUDGET;

    private volatile boolean awaited;

    public synchronized void put(final Chunk chunk) {
        chunks.addLast(chunk);
        notifyAll();
    }

    /** Nothing but the end verifies what is put. */
    public synchronized void markUnverified() {
        unverified = true;
    }

    /** Whether chunks may have been taken that are not what the map wrote. */
    public synchronized boolean isUnverified() {
        return unverified;
    }

    /** The last chunk was put, and the segment is verified. */
    public synchronized void end() {
        ended = true;
        unverified = false;
        notifyAll();
    }

    /** Makes every {@link #take} fail from now on; the first cause stays. */
    public synchronized void fail(final IOException cause) {
        if (failure == null) {
            failure = cause;
        }
        notifyAll();
    }

    /** Whether every {@link #take} fails. */
    public synchronized boolean hasFailed() {
        return failure != null;
    }

    /** Tells why a {@link #take} would have to wait from now on. */
    public void lack(final StallCause cause) {
        lack = cause;
    }

    public synchronized boolean isEmpty() {
        return chunks.isEmpty();
    }

    /** Whether the task thread waits for what comes next. Any thread. */
    public boolean isAwaited() {
        return awaited;
    }

    /** Takes everything out. */
    public synchronized List<Chunk> drain() {
        final List<Chunk> drained = new ArrayList<>(chunks);
        chunks.clear();
        return drained;
    }

    /**
     * The next chunk; waits for it, even where the job's code has left the thread interrupted.
     *
     * @return null at the end
     * @throws IOException when the segment failed; a new exception with the failure as its cause
     */
    public Chunk take(final StallClock stalls) throws IOException {
        synchronized (this) {
            if (isDecided()) {
                return poll();
            }
        }
        return await(stalls);
    }

    private Chunk await(final StallClock stalls) throws IOException {
        final long start = System.nanoTime();
        final StallCause cause = lack;
        awaited = true;
        try {
            while (true) {
                Uninterrupted.await(
                        () -> {
                            stalls.await(this, this::isDecided);
                            return null;
                        });
                synchronized (this) {
                    if (isDecided()) {
                        return poll();
                    }
                }
            }
        } finally {
            awaited = false;
            stalls.add(cause, System.nanoTime() - start);
        }
    }

    private boolean isDecided() {
        return failure != null || ended || !chunks.isEmpty();
    }

    private Chunk poll() throws IOException {
        if (failure != null) {
            throw new IOException(failure.getMessage(), failure);
        }
        return chunks.pollFirst();
    }
}
