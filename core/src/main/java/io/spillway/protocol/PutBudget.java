package io.spillway.protocol;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The bytes of puts that a server may hold without having answered, over all of its connections.
 * What finds no room waits in line. Thread-safe.
 */
public final class PutBudget {
    /** Something that waits for room; it is equal to nothing but itself. */
    @FunctionalInterface
    public interface Waiter {
        /** The bytes are taken for it now. Called by any thread, at most once; does not throw. */
        void granted();
    }

    private final long limit;
    private final Map<Waiter, Long> waiting = new LinkedHashMap<>();
    private long taken;

    /**
     * Creates a budget.
     *
     * @param limit in bytes; whatever is asked for is no more
     */
    public PutBudget(final long limit) {
        this.limit = limit;
    }

    /** Takes bytes; where there is no room, returns false and has {@code waiter} wait for them. */
    public synchronized boolean take(final long bytes, final Waiter waiter) {
        if (waiting.isEmpty() && taken + bytes <= limit) {
            taken += bytes;
            return true;
        }
        waiting.put(waiter, bytes);
        return false;
    }

    /** Gives bytes back. */
    public void give(final long bytes) {
        synchronized (this) {
            taken -= bytes;
        }
        grantWaiting();
    }

    /** Ends a wait; false where the bytes were granted before. */
    public boolean leave(final Waiter waiter) {
        final boolean waited;
        synchronized (this) {
            waited = waiting.remove(waiter) != null;
        }
        grantWaiting();
        return waited;
    }

    /** The bytes taken now. */
    public synchronized long taken() {
        return taken;
    }

    private void grantWaiting() {
        for (Waiter next = nextGranted(); next != null; next = nextGranted()) {
            next.granted();
        }
    }

    private synchronized Waiter nextGranted() {
        final Iterator<Map.Entry<Waiter, Long>> entries = waiting.entrySet().iterator();
        if (!entries.hasNext()) {
            return null;
        }
        final Map.Entry<Waiter, Long> first = entries.next();
        if (taken + first.getValue() > limit) {
            return null;
        }
        taken += first.getValue();
        final Waiter waiter = first.getKey();
        entries.remove();
        return waiter;
    }
}
