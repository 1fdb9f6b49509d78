// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import java.util.concurrent.Executor;

/** The client's side of a proved connection, which one thread works on. */
public interface FetchConnection {
    /** The node; any thread. */
    ProvedNode node();

    /** Whether it is not lost; any thread. */
    boolean isOpen();

    /** Runs tasks on the connection's thread, in their order; rejects them when that has ended. */
    Executor executor();

    /** Takes a fetch, which {@link #flush} sends; the connection's thread. */
    void add(PendingFetch fetch);

    /** Takes a put, commit or abort, which {@link #flush} sends; the connection's thread. */
    void add(PendingWrite write);

    /** Sends what there are credits for; the connection's thread. */
    void flush();

    /** Ends it; the connection's thread. Idempotent. */
    void close();

    /**
     * Ends it because work of its own failed, and fails every request that it holds with {@link
     * io.spillway.transport.FetchException.Reason#LOCAL}; the connection's thread. Idempotent.
     */
    void fail(Throwable cause);
}
