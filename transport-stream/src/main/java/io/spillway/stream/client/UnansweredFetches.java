// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.util.collection.LongObjectHashMap;
import io.netty.util.collection.LongObjectMap;
import io.spillway.protocol.PendingFetch;
import io.spillway.transport.FetchException;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * The fetches of one connection that have no answer yet. A fetch enters before anything is done for
 * it that can fail, and leaves after its listener was called: so {@link #failAll} finds each that
 * has no answer, wherever work on it has stopped. Used by the channel's event loop.
 */
final class UnansweredFetches {
    private final Queue<PendingFetch> waiting = new ArrayDeque<>();
    private final LongObjectMap<PendingFetch> inFlight = new LongObjectHashMap<>();
    private PendingFetch receiving;

    // ---- to be sent ----------------------------------------------------------------------------

    void add(final PendingFetch fetch) {
        waiting.add(fetch);
    }

    boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /** The next one to send; it stays until {@link #handled}. */
    PendingFetch next() {
        return waiting.element();
    }

    /**
     * It was sent or answered for. A connection that was lost meanwhile has taken all that waited.
     */
    void handled(final PendingFetch fetch) {
        if (waiting.peek() == fetch) {
            waiting.remove();
        }
    }

    // ---- in flight -----------------------------------------------------------------------------

    /** A request goes out. */
    void sent(final long requestId, final PendingFetch fetch) {
        inFlight.put(requestId, fetch);
    }

    int inFlightCount() {
        return inFlight.size() + (receiving == null ? 0 : 1);
    }

    /** The fetch of a request without an answer; null for any other id. */
    PendingFetch find(final long requestId) {
        return inFlight.get(requestId);
    }

    /** The fetch was answered for. */
    void answered(final long requestId) {
        inFlight.remove(requestId);
    }

    // ---- being received ------------------------------------------------------------------------

    /** The bytes of a request follow. */
    void startReceiving(final long requestId, final PendingFetch fetch) {
        receiving = fetch;
        inFlight.remove(requestId);
    }

    /** The fetch whose bytes arrive; null between answers. */
    PendingFetch receiving() {
        return receiving;
    }

    /** Its listener was called. */
    void received() {
        receiving = null;
    }

    // ---- the end -------------------------------------------------------------------------------

    /** Answers for all of them. May be repeated where it was cut short. */
    void failAll(final FetchException cause) {
        if (receiving != null) {
            receiving.fail(cause);
        }
        receiving = null;
        inFlight.values().forEach(fetch -> fetch.fail(cause));
        inFlight.clear();
        waiting.forEach(fetch -> fetch.fail(cause));
        waiting.clear();
    }
}
