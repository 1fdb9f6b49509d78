// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;

/**
 * Fetches whole segments, in a way of the framework's own, from nodes that do not speak Spillway.
 * Owned by the loop's thread, but for what is said of each method.
 */
public interface FallbackFetcher {
    /** Makes a fetcher of the parts of one shuffle. */
    @FunctionalInterface
    interface Factory {
        /** Makes the fetcher; no request goes out yet. */
        FallbackFetcher of(FetchParts parts);
    }

    /** Asks a node for fetches that wait for it, as many as it takes now. */
    void fetch(Node node);

    /** When a request last began, or brought bytes; 0 when there is none. */
    long lastActivityMillis();

    /** In this time a request brings bytes, or fails. Any thread. */
    long answerMillis();

    /** Ends every request, and frees what no one has taken of what they have brought. */
    void close();

    /** Starts no more requests. Any thread. */
    void stopThreads();
}
