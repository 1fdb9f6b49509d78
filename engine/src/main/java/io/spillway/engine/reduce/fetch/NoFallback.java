// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.reduce.fetch;

import io.spillway.engine.reduce.segment.Node;
import io.spillway.transport.FetchException;

/** For frameworks without a way of their own to fetch: a node that lacks Spillway has failed. */
public final class NoFallback implements FallbackFetcher {
    private final FetchParts parts;

    /** Creates a fetcher that asks no one. */
    public NoFallback(final FetchParts parts) {
        this.parts = parts;
    }

    @Override
    public void fetch(final Node node) {
        parts.failed()
                .nodeFailed(
                        node,
                        new FetchException(
                                FetchException.Reason.NOT_SPILLWAY,
                                node.address + " does not speak Spillway"));
    }

    @Override
    public long lastActivityMillis() {
        return 0;
    }

    @Override
    public long answerMillis() {
        return 0;
    }

    @Override
    public void close() {
        // It has no requests.
    }

    @Override
    public void stopThreads() {
        // It has no threads.
    }
}
