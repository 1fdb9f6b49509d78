package io.spillway.transport.ucx.worker;

import io.spillway.transport.DirectMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpContext;
import org.openucx.jucx.ucp.UcpMemory;
import org.openucx.jucx.ucp.UcpRequestParams;

/**
 * Registered memory outside the heap, of a fixed size: slabs of 16 MiB, taken as needed, and halved
 * down to 4 KiB (buddies). A caller that finds no room waits in a line, first come first served.
 * Used by the thread of UCX only, but the bytes of a buffer that it has given out, which are its
 * holder's.
 */
public final class BufferPool {
    /** As much as one fetch may ask for. */
    public static final int SLAB_BYTES = 16 << 20;

    private static final int MIN_BYTES = 4 << 10;
    private static final int ORDERS =
            Integer.numberOfTrailingZeros(SLAB_BYTES)
                    - Integer.numberOfTrailingZeros(MIN_BYTES)
                    + 1;

    /** Takes the buffer that it has waited for. */
    public interface Waiter {
        /** The bytes that it waits for. */
        int length();

        /** Whether it still wants them. */
        boolean isWaiting();

        /** Here they are. Throws nothing. */
        void onBuffer(Buffer buffer);

        /** There is no memory at all, and none will come back: it waits no longer. */
        void onNoBuffer(Throwable cause);
    }

    /** A piece of a slab; its holder gives it back by {@link #release}. */
    public final class Buffer {
        private final Slab slab;
        private final int offset;
        private final int order;
        private final ByteBuffer bytes;
        private boolean released;

        Buffer(final Slab slab, final int offset, final int order, final int length) {
            this.slab = slab;
            this.offset = offset;
            this.order = order;
            this.bytes = slab.bytes.slice(offset, length);
        }

        /** Exactly the bytes asked for. */
        public ByteBuffer bytes() {
            return bytes;
        }

        /** The address of its first byte. */
        public long address() {
            return slab.address + offset;
        }

        /** What UCX is given with it: how its memory is registered. */
        public UcpRequestParams params() {
            return slab.params;
        }

        /** Once. */
        public void release() {
            if (released) {
                throw new IllegalStateException("released twice");
            }
            released = true;
            slab.free(offset, order);
            used -= MIN_BYTES << order;
            serveWaiters();
        }
    }

    private final UcpContext context;
    private final long limit;
    private final DirectMemory memory;
    private final List<Slab> slabs = new ArrayList<>();
    private final Queue<Waiter> waiters = new ArrayDeque<>();
    private long used;
    private boolean serving;
    private boolean closed;

    BufferPool(final UcpContext context, final long limit, final DirectMemory memory) {
        this.context = context;
        this.limit = limit;
        this.memory = memory;
    }

    /** The bytes given out, rounded up as they are. */
    public long usedBytes() {
        return used;
    }

    /** The bytes registered. */
    public long registeredBytes() {
        return (long) slabs.size() * SLAB_BYTES;
    }

    /**
     * Gives the waiter a buffer: at once, where there is room and no other waits, else in its turn.
     */
    public void request(final Waiter waiter) {
        waiters.add(waiter);
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
            while (served && !waiters.isEmpty()) {
                served = serve(waiters.peek());
            }
        } finally {
            serving = false;
        }
    }

    private boolean serve(final Waiter waiter) {
        if (!waiter.isWaiting()) {
            waiters.remove();
            return true;
        }
        final Buffer buffer;
        try {
            buffer = allocate(waiter.length());
        } catch (final RuntimeException | Error e) {
            waiters.remove();
            waiter.onNoBuffer(e);
            return true;
        }
        if (buffer == null) {
            return false;
        }
        waiters.remove();
        waiter.onBuffer(buffer);
        return true;
    }

    private Buffer allocate(final int length) {
        if (length < 1 || length > SLAB_BYTES) {
            throw new IllegalArgumentException(
                    "length=" + length + ", expected 1 to " + SLAB_BYTES);
        }
        final int order = orderOf(length);
        for (final Slab slab : slabs) {
            final int offset = slab.allocate(order);
            if (offset >= 0) {
                return give(slab, offset, order, length);
            }
        }
        if (registeredBytes() + SLAB_BYTES > limit) {
            return null;
        }
        final Slab slab = newSlab();
        if (slab == null) {
            return null;
        }
        slabs.add(slab);
        return give(slab, slab.allocate(order), order, length);
    }

    private Buffer give(final Slab slab, final int offset, final int order, final int length) {
        used += MIN_BYTES << order;
        return new Buffer(slab, offset, order, length);
    }

    private static int orderOf(final int length) {
        final int blocks = (length + MIN_BYTES - 1) / MIN_BYTES;
        return Integer.SIZE - Integer.numberOfLeadingZeros(blocks - 1);
    }

    /** Null where the system gives no more and what there is has to do. */
    private Slab newSlab() {
        try {
            return new Slab(context, memory.allocate(SLAB_BYTES));
        } catch (final OutOfMemoryError | RuntimeException e) {
            if (slabs.isEmpty()) {
                throw new IllegalStateException(
                        "ucx: no registered memory of "
                                + SLAB_BYTES
                                + " bytes to be had ("
                                + e.getMessage()
                                + "); raise memlock or -XX:MaxDirectMemorySize",
                        e);
            }
            return null;
        }
    }

    /** Deregisters all memory; no buffer may be used any more. Idempotent. */
    void close() {
        closed = true;
        waiters.clear();
        slabs.forEach(slab -> slab.memory.deregister());
        slabs.clear();
    }

    /** One registration, with the offsets of its free blocks by size. */
    private static final class Slab {
        private final ByteBuffer bytes;
        private final UcpMemory memory;
        private final long address;
        private final UcpRequestParams params;
        private final List<ArrayDeque<Integer>> free = new ArrayList<>();

        Slab(final UcpContext context, final ByteBuffer bytes) {
            this.bytes = bytes;
            this.memory = context.registerMemory(bytes);
            this.address = UcxUtils.getAddress(bytes);
            this.params = new UcpRequestParams().setMemoryHandle(memory);
            for (int order = 0; order < ORDERS; order++) {
                free.add(new ArrayDeque<>());
            }
            free.get(ORDERS - 1).add(0);
        }

        /** An offset, or -1. */
        int allocate(final int order) {
            int from = order;
            while (from < ORDERS && free.get(from).isEmpty()) {
                from++;
            }
            if (from == ORDERS) {
                return -1;
            }
            final int offset = free.get(from).pop();
            while (from > order) {
                from--;
                free.get(from).push(offset + (MIN_BYTES << from));
            }
            return offset;
        }

        void free(final int freed, final int freedOrder) {
            int offset = freed;
            int order = freedOrder;
            while (order < ORDERS - 1 && free.get(order).remove(offset ^ (MIN_BYTES << order))) {
                offset &= ~(MIN_BYTES << order);
                order++;
            }
            free.get(order).push(offset);
        }
    }
}
