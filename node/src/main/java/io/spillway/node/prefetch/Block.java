// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.prefetch;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A block of a map output file in memory. The cache holds one reference, and each piece being sent
 * one: the last to release gives the memory back. Fields about the cache's order are guarded by the
 * prefetcher's lock; the rest is thread-safe.
 */
final class Block {
    private final ReadAheadFile file;
    private final int number;
    private final ByteBuffer bytes;
    private final BlockPool pool;
    private final AtomicInteger references = new AtomicInteger(1);
    private Urgency urgency;
    private long lastUse;

    /** Takes over {@code bytes}, filled from 0 to its limit, with one reference. */
    Block(
            final ReadAheadFile file,
            final int number,
            final ByteBuffer bytes,
            final BlockPool pool,
            final Urgency urgency) {
        this.file = file;
        this.number = number;
        this.bytes = bytes;
        this.pool = pool;
        this.urgency = urgency;
    }

    ReadAheadFile file() {
        return file;
    }

    /** Which block of its file, from 0. */
    int number() {
        return number;
    }

    Urgency urgency() {
        return urgency;
    }

    void setUrgency(final Urgency changed) {
        urgency = changed;
    }

    /** When it was last used, in requests that the cache has seen. */
    long lastUse() {
        return lastUse;
    }

    void setLastUse(final long request) {
        lastUse = request;
    }

    /** The bytes that lie in both the block and the range of the file. */
    ByteBuffer slice(final long from, final long to) {
        final long start = (long) number * pool.blockBytes();
        final int first = (int) Math.max(0, from - start);
        final int end = (int) Math.min(bytes.limit(), to - start);
        return bytes.slice(first, end - first);
    }

    /** Takes a reference; the caller knows that there is another one. */
    void retain() {
        references.incrementAndGet();
    }

    /** Whether a piece of it is being sent. */
    boolean isBeingSent() {
        return references.get() > 1;
    }

    void release() {
        if (references.decrementAndGet() == 0) {
            pool.give(bytes);
        }
    }
}
