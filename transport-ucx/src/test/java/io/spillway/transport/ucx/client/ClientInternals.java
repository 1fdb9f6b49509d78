// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.client;

import io.spillway.transport.DirectMemory;
import io.spillway.transport.ucx.worker.UcxThread;
import java.io.IOException;
import java.util.function.Function;

/** What only tests see of a client. */
public final class ClientInternals {
    private ClientInternals() {}

    /** A client whose memory outside the heap is granted by {@code memory}. */
    public static UcxTransport newTransport(
            final Function<String, String> lookup, final DirectMemory memory) throws IOException {
        return new UcxTransport(lookup, memory);
    }

    /** The thread that calls UCX. */
    public static UcxThread threadOf(final UcxTransport transport) {
        return transport.thread();
    }
}
