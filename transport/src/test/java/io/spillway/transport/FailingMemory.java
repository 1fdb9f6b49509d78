// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport;

/** Memory that runs out at an allocation chosen by a test, once or from then on. Thread-safe. */
public final class FailingMemory implements DirectMemory {
    private long asked;
    private long firstFailure = Long.MAX_VALUE;
    private long lastFailure;
    private boolean failed;

    /**
     * Fails the {@code n}-th allocation from now on, the first being 1, and {@code times} in all.
     */
    public synchronized void failAt(final long n, final long times) {
        asked = 0;
        firstFailure = n;
        lastFailure = times == Long.MAX_VALUE ? Long.MAX_VALUE : n + times - 1;
        failed = false;
    }

    /** Fails no more; returns whether an allocation has failed. */
    public synchronized boolean recover() {
        firstFailure = Long.MAX_VALUE;
        return failed;
    }

    @Override
    public synchronized void request(final int bytes) {
        asked++;
        if (asked >= firstFailure && asked <= lastFailure) {
            failed = true;
            throw new OutOfMemoryError("allocation " + asked + " fails in a test");
        }
    }
}
