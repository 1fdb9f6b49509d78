// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.serve;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Bytes that the jobs of a node share. A job takes at most twice as many as are free then: alone,
 * two thirds of all; of two such jobs each has two fifths. So there is always some left for a job
 * that has none. What finds no room waits in its job's line, and a job that has nothing comes
 * first. Thread-safe.
 */
public final class JobBudget {
    private static final int TIMES_FREE = 2;

    /** Something that waits for room; it is equal to nothing but itself. */
    @FunctionalInterface
    public interface Waiter {
        /** The bytes are taken for it now. Called by any thread, at most once; does not throw. */
        void granted();
    }

    private record Waiting(Waiter waiter, long bytes) {}

    /** What one job has, and what waits for more. */
    private static final class Share {
        private final Deque<Waiting> line = new ArrayDeque<>();
        private long taken;

        boolean isFirst() {
            return taken == 0 && !line.isEmpty();
        }
    }

    private final long limit;

    /** Those that have or want something; one that was granted something goes to the end. */
    private final Map<String, Share> shares = new LinkedHashMap<>();

    private long taken;

    /**
     * Creates a budget of which nothing is taken.
     *
     * @param limit in bytes; one request is granted however long it is
     */
    public JobBudget(final long limit) {
        this.limit = limit;
    }

    /** Takes bytes; where there is no room, returns false and has {@code waiter} wait for them. */
    public synchronized boolean take(final String jobId, final long bytes, final Waiter waiter) {
        final Share share = shares.computeIfAbsent(jobId, id -> new Share());
        if (share.line.isEmpty() && hasRoom(share, bytes)) {
            add(share, bytes);
            return true;
        }
        share.line.add(new Waiting(waiter, bytes));
        return false;
    }

    private boolean hasRoom(final Share share, final long bytes) {
        final long free = limit - taken;
        if (taken == 0) {
            return true;
        }
        if (bytes > free) {
            return false;
        }
        return share.taken == 0
                || (share.taken + bytes <= TIMES_FREE * free
                        && shares.values().stream().noneMatch(Share::isFirst));
    }

    private void add(final Share share, final long bytes) {
        share.taken += bytes;
        taken += bytes;
    }

    /** Gives bytes back that were taken for a job. */
    public void give(final String jobId, final long bytes) {
        synchronized (this) {
            final Share share = shares.get(jobId);
            add(share, -bytes);
            removeIfUnused(jobId, share);
        }
        grantWaiting();
    }

    /** Ends a wait; false where the bytes were granted before. */
    public boolean leave(final String jobId, final Waiter waiter) {
        final boolean waited;
        synchronized (this) {
            final Share share = shares.get(jobId);
            waited = share != null && share.line.removeIf(waiting -> waiting.waiter() == waiter);
            if (waited) {
                removeIfUnused(jobId, share);
            }
        }
        grantWaiting();
        return waited;
    }

    private void removeIfUnused(final String jobId, final Share share) {
        if (share.taken == 0 && share.line.isEmpty()) {
            shares.remove(jobId);
        }
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
        final Iterator<Map.Entry<String, Share>> entries = shares.entrySet().iterator();
        while (entries.hasNext()) {
            final Map.Entry<String, Share> entry = entries.next();
            final Share share = entry.getValue();
            if (!share.line.isEmpty() && hasRoom(share, share.line.element().bytes())) {
                final Waiting granted = share.line.remove();
                add(share, granted.bytes());
                entries.remove();
                shares.put(entry.getKey(), share);
                return granted.waiter();
            }
        }
        return null;
    }
}
