// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.launch;

import io.spillway.thread.Backoff;

/**
 * How long to wait before a process is started again: twice as long each time, and from the
 * beginning once it has lived for a while. Used by one thread.
 */
final class RestartDelay {
    private final Backoff delays;
    private int restarts;

    RestartDelay(final long firstMillis, final long lastMillis) {
        this.delays = Backoff.doubling(firstMillis, lastMillis);
    }

    /** The delay after a process has lived for so long. */
    long after(final long livedMillis) {
        restarts = livedMillis >= delays.most() ? 1 : restarts + 1;
        return delays.after(restarts);
    }
}
