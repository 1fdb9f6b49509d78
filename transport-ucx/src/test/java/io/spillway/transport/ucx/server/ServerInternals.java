// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import io.spillway.protocol.ServerSettings;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.ucx.worker.UcxThread;
import java.io.IOException;
import java.util.function.Function;

/** What only tests see of a server. */
public final class ServerInternals {
    private ServerInternals() {}

    /**
     * A server on a free port of the loopback address.
     *
     * @param memory grants what is allocated outside the heap
     */
    public static UcxSegmentServer newServer(
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> lookup,
            final long epoch,
            final DirectMemory memory,
            final ServerSettings settings)
            throws IOException {
        return new UcxSegmentServer(
                "127.0.0.1", 0, source, secrets, lookup, epoch, memory, settings);
    }

    /** The thread that calls UCX, of the worker that serves now. */
    public static UcxThread threadOf(final UcxSegmentServer server) {
        return server.worker().thread();
    }
}
