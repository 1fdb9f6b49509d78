// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.held;

/**
 * What a store keeps on the heap, in bytes, and the most that it may. Thread-safe.
 *
 * <p>It is apart from the account of memory outside the heap: many short segments fill this one
 * while the other is almost empty. A put or a commit is taken only where both have room.
 */
public final class HeapAccount {
    /** The rest is for connections, caches, the placement service, and for the collector. */
    private static final int PART_OF_HEAP = 2;

    private final long limit;
    private long used;

    /**
     * Creates an account.
     *
     * @param limit in bytes, at least 0
     */
    public HeapAccount(final long limit) {
        this.limit = limit;
    }

    /** An account of half of this process's heap. */
    public static HeapAccount ofThisProcess() {
        return new HeapAccount(Runtime.getRuntime().maxMemory() / PART_OF_HEAP);
    }

    /** Counts bytes; returns whether there is room for them. */
    synchronized boolean charge(final long bytes) {
        if (used + bytes > limit) {
            return false;
        }
        used += bytes;
        return true;
    }

    /** Counts bytes no longer. */
    synchronized void discharge(final long bytes) {
        used -= bytes;
    }

    long limit() {
        return limit;
    }

    synchronized long used() {
        return used;
    }
}
