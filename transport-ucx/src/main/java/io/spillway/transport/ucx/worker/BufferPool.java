// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.worker;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpRequestParams;

/**
 * Registered memory outside the heap, of a fixed size, which jobs share. It is taken in slabs of 16
 * MiB, as needed. Parts of them are registered, each for one job, and given out as buffers. What is
 * registered for a job stays so until others need the memory: then the registration ends, and what
 * the job has left there is wiped. So a key that a peer has got is good for bytes of its own job
 * only.
 *
 * <p>A job takes a new registration only while it has at most twice as much as is free then, as in
 * {@link io.spillway.transport.serve.JobBudget}: alone, two thirds of all. A caller that finds no
 * room waits in its job's line, and a job that has nothing comes first.
 *
 * <p>Used by the thread of UCX only, but the bytes of a buffer that it has given out, which are its
 * holder's.
 */
public final class BufferPool {
    /** As much as one fetch may ask for. */
    public static final int SLAB_BYTES = 16 << 20;

    private static final int MIN_BUFFER = 4 << 10;
    private static final int MIN_REGISTERED = 1 << 20;

    /** So many jobs can have a registration at a time, where the pool has as many mebibytes. */
    private static final int JOBS = 64;

    private static final int TIMES_FREE = 2;

    /** Takes the buffer that it has waited for. */
    public interface Waiter {
        /** Whose bytes the buffer is for. */
        String jobId();

        /** The bytes that it waits for. */
        int length();

        /** Whether it still wants them. */
        boolean isWaiting();

        /** Here they are. Throws nothing. */
        void onBuffer(Buffer buffer);

        /** There is no memory at all, and none will come back: it waits no longer. */
        void onNoBuffer(Throwable cause);
    }

    /** A part of a registration; its holder gives it back by {@link #release}. */
    public final class Buffer {
        private final Owned owned;
        private final int offset;
        private final int part;
        private final ByteBuffer bytes;
        private boolean released;

        Buffer(final Owned owned, final int offset, final int part, final int length) {
            this.owned = owned;
            this.offset = offset;
            this.part = part;
            this.bytes = owned.memory.slice(offset, length);
        }

        /** Exactly the bytes asked for. */
        public ByteBuffer bytes() {
            return bytes;
        }

        /** The address of its first byte. */
        public long address() {
            return owned.memory.addressOf(offset);
        }

        /** What UCX is given with it: how its memory is registered. */
        public UcpRequestParams params() {
            return owned.memory.params();
        }

        /** Once. */
        public void release() {
            if (released) {
                throw new IllegalStateException("released twice");
            }
            released = true;
            used -= part;
            owned.memory.parts().putBack(offset, part);
            if (owned.memory.parts().isWhole()) {
                becomesIdle(owned);
            }
            serveWaiters();
        }
    }

    /** Memory of which parts are registered; the others hold zeros. */
    private static final class Slab {
        private final ByteBuffer bytes;
        private final Buddies free;

        Slab(final ByteBuffer bytes, final int minRegistered) {
            this.bytes = bytes;
            this.free = new Buddies(SLAB_BYTES, minRegistered);
        }
    }

    /** A registration, with its job and its place. */
    private static final class Owned {
        private final Share share;
        private final Slab slab;
        private final int offset;
        private final Registration memory;

        Owned(final Share share, final Slab slab, final int offset, final Registration memory) {
            this.share = share;
            this.slab = slab;
            this.offset = offset;
            this.memory = memory;
        }
    }

    /** What one job has, and what waits for more. */
    private static final class Share {
        private final Deque<Waiter> line = new ArrayDeque<>();
        private final List<Owned> inUse = new ArrayList<>();
        private long inUseBytes;

        /** Idle ones as well. */
        private int registrations;

        boolean waits() {
            while (!line.isEmpty() && !line.element().isWaiting()) {
                line.remove();
            }
            return !line.isEmpty();
        }

        boolean isFirst() {
            return inUseBytes == 0 && waits();
        }

        boolean isUnused() {
            return registrations == 0 && !waits();
        }
    }

    private final UcpContext context;
    private final long limit;
    private final int minRegistered;
    private final DirectMemory memory;
    private final List<Slab> slabs = new ArrayList<>();

    /** By job; one that was given something goes to the end. */
    private final Map<String, Share> shares = new LinkedHashMap<>();

    /** The registrations without a buffer that is in use, the one that is so for longest first. */
    private final Deque<Owned> idle = new ArrayDeque<>();

    private long used;
    private long inUseBytes;
    private long registered;
    private boolean serving;
    private boolean closed;

    BufferPool(final UcpContext context, final long limit, final DirectMemory memory) {
        this.context = context;
        this.limit = limit / SLAB_BYTES * SLAB_BYTES;
        this.minRegistered =
                (int)
                        Math.min(
                                SLAB_BYTES,
                                Math.max(MIN_REGISTERED, Long.highestOneBit(limit / JOBS)));
        this.memory = memory;
    }

    /** The bytes given out, rounded up as they are. */
    public long usedBytes() {
        return used;
    }

    /** The bytes registered. */
    public long registeredBytes() {
        return registered;
    }

    /** Gives the waiter a buffer: at once, where there is room for its job, else in its turn. */
    public void request(final Waiter waiter) {
        shares.computeIfAbsent(waiter.jobId(), jobId -> new Share()).line.add(waiter);
        serveWaiters();
    }

    /** A waiter may release or ask again as it is served: the loop is not entered twice. */
    private void serveWaiters() {
        if (serving || closed) {
            return;
        }
        serving = true;
        try {
            boolean served = true;
            while (served) {
                served = serveOne();
            }
        } finally {
            serving = false;
        }
        shares.values().removeIf(Share::isUnused);
    }

    private boolean serveOne() {
        for (final Map.Entry<String, Share> entry : shares.entrySet()) {
            if (entry.getValue().waits() && serve(entry.getKey(), entry.getValue())) {
                return true;
            }
        }
        return false;
    }

    private boolean serve(final String jobId, final Share share) {
        final Waiter waiter = share.line.element();
        final Buffer buffer;
        try {
            buffer = take(share, waiter.length());
        } catch (final RuntimeException | Error e) {
            share.line.remove();
            waiter.onNoBuffer(e);
            return true;
        }
        if (buffer == null) {
            return false;
        }
        share.line.remove();
        shares.remove(jobId);
        shares.put(jobId, share);
        waiter.onBuffer(buffer);
        return true;
    }

    private Buffer take(final Share share, final int length) {
        if (length < 1 || length > SLAB_BYTES) {
            throw new IllegalArgumentException(
                    "length=" + length + ", expected 1 to " + SLAB_BYTES);
        }
        for (final Owned owned : share.inUse) {
            final Buffer buffer = takeFrom(owned, length);
            if (buffer != null) {
                return buffer;
            }
        }
        final int bytes = Buddies.partFor(length, minRegistered);
        if (!hasRoom(share, bytes)) {
            return null;
        }
        final Owned owned = idleOf(share, bytes);
        if (owned == null) {
            return null;
        }
        share.inUse.add(owned);
        share.inUseBytes += bytes;
        inUseBytes += bytes;
        return takeFrom(owned, length);
    }

    private Buffer takeFrom(final Owned owned, final int length) {
        final int part = Buddies.partFor(length, MIN_BUFFER);
        final int offset = owned.memory.parts().take(part);
        if (offset < 0) {
            return null;
        }
        used += part;
        return new Buffer(owned, offset, part, length);
    }

    private boolean hasRoom(final Share share, final int bytes) {
        final long free = limit - inUseBytes;
        if (inUseBytes == 0) {
            return true;
        }
        if (bytes > free) {
            return false;
        }
        return share.inUseBytes == 0
                || (share.inUseBytes + bytes <= TIMES_FREE * free
                        && shares.values().stream().noneMatch(Share::isFirst));
    }

    private void becomesIdle(final Owned owned) {
        final int bytes = owned.memory.length();
        owned.share.inUse.remove(owned);
        owned.share.inUseBytes -= bytes;
        inUseBytes -= bytes;
        idle.add(owned);
    }

    // ---- registrations -------------------------------------------------------------------------

    /** One of the job's own, or a new one; null where there is no room for it now. */
    private Owned idleOf(final Share share, final int bytes) {
        final Iterator<Owned> newestFirst = idle.descendingIterator();
        while (newestFirst.hasNext()) {
            final Owned owned = newestFirst.next();
            if (owned.share == share && owned.memory.length() == bytes) {
                newestFirst.remove();
                return owned;
            }
        }
        return register(share, bytes);
    }

    /** Takes what is idle of others where nothing else is free. */
    private Owned register(final Share share, final int bytes) {
        Throwable failure = null;
        do {
            try {
                final Owned owned = registerFree(share, bytes);
                if (owned != null) {
                    return owned;
                }
            } catch (final OutOfMemoryError | RuntimeException e) {
                failure = e;
            }
        } while (endOldest());
        if (failure != null && inUseBytes == 0) {
            throw new IllegalStateException(
                    "ucx: no registered memory of "
                            + bytes
                            + " bytes to be had ("
                            + failure.getMessage()
                            + "); raise memlock or -XX:MaxDirectMemorySize",
                    failure);
        }
        return null;
    }

    private Owned registerFree(final Share share, final int bytes) {
        for (final Slab slab : slabs) {
            final int offset = slab.free.take(bytes);
            if (offset >= 0) {
                return register(share, slab, offset, bytes);
            }
        }
        if ((slabs.size() + 1L) * SLAB_BYTES > limit) {
            return null;
        }
        final Slab slab = new Slab(memory.allocate(SLAB_BYTES), minRegistered);
        slabs.add(slab);
        return register(share, slab, slab.free.take(bytes), bytes);
    }

    private Owned register(final Share share, final Slab slab, final int offset, final int bytes) {
        final Registration made;
        try {
            made = new Registration(context, slab.bytes.slice(offset, bytes), MIN_BUFFER);
        } catch (final OutOfMemoryError | RuntimeException e) {
            slab.free.putBack(offset, bytes);
            throw e;
        }
        share.registrations++;
        registered += bytes;
        return new Owned(share, slab, offset, made);
    }

    /** Ends the registration that is idle for longest; false where none is. */
    private boolean endOldest() {
        final Owned owned = idle.poll();
        if (owned == null) {
            return false;
        }
        owned.memory.end();
        owned.memory.wipe();
        owned.share.registrations--;
        registered -= owned.memory.length();
        owned.slab.free.putBack(owned.offset, owned.memory.length());
        return true;
    }

    /** Ends all registrations; no buffer may be used any more. Idempotent. */
    void close() {
        if (closed) {
            return;
        }
        closed = true;
        idle.forEach(owned -> owned.memory.end());
        shares.values().forEach(share -> share.inUse.forEach(owned -> owned.memory.end()));
        idle.clear();
        shares.clear();
        slabs.clear();
    }
}
