// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import java.util.concurrent.TimeUnit;

/**
 * Tells whether a node is still there: by its answers while it owes some, and by a ping while it
 * does not. Used by the channel's event loop.
 */
final class AnswerClock {
    private static final int CHECKS_PER_TIMEOUT = 4;

    private final long timeoutMillis;
    private long lastAnswerNanos;
    private long lastByteNanos = System.nanoTime();
    private boolean pinged;

    /**
     * Starts the clock.
     *
     * @param timeoutMillis without an answer, after which a node that owes one is lost; one that
     *     owes none is pinged after it, and lost after twice as long
     */
    AnswerClock(final long timeoutMillis) {
        this.timeoutMillis = timeoutMillis;
    }

    /** How often to look. */
    long periodMillis() {
        return Math.max(1, timeoutMillis / CHECKS_PER_TIMEOUT);
    }

    /** The first of the requests without an answer goes out. */
    void asked() {
        lastAnswerNanos = System.nanoTime();
    }

    /** Bytes have come. */
    void heard() {
        lastByteNanos = System.nanoTime();
        pinged = false;
    }

    /** They are of an answer. */
    void answered() {
        lastAnswerNanos = lastByteNanos;
    }

    /** How long a node that owes answers has given none, in ms; -1 while that is not too long. */
    long tooLongWithoutAnswer() {
        return orNone(lastAnswerNanos, timeoutMillis);
    }

    /** How long a node that owes nothing has sent nothing, in ms; -1 while that is not too long. */
    long tooLongSilent() {
        return orNone(lastByteNanos, 2 * timeoutMillis);
    }

    /** Whether a ping has to go out now. */
    boolean pingIsDue() {
        if (pinged || orNone(lastByteNanos, timeoutMillis) < 0) {
            return false;
        }
        pinged = true;
        return true;
    }

    private static long orNone(final long sinceNanos, final long limitMillis) {
        final long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - sinceNanos);
        return millis >= limitMillis ? millis : -1;
    }
}
