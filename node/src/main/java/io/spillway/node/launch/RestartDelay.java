package io.spillway.node.launch;

/**
 * How long to wait before a process is started again: twice as long each time, and from the
 * beginning once it has lived for a while. Used by one thread.
 */
final class RestartDelay {
    private final long firstMillis;
    private final long lastMillis;
    private long nextMillis;

    RestartDelay(final long firstMillis, final long lastMillis) {
        this.firstMillis = firstMillis;
        this.lastMillis = lastMillis;
        this.nextMillis = firstMillis;
    }

    /** The delay after a process has lived for so long. */
    long after(final long livedMillis) {
        if (livedMillis >= lastMillis) {
            nextMillis = firstMillis;
        }
        final long delay = nextMillis;
        nextMillis = Math.min(lastMillis, nextMillis * 2);
        return delay;
    }
}
