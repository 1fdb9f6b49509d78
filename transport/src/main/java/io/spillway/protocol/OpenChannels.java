// SPDX-License-Identifier: Apache-2.0
package io.spillway.protocol;

import io.spillway.transport.FetchException;
import io.spillway.transport.NodeAddress;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The channels of one transport, which end with it. Thread-safe. */
public final class OpenChannels {
    private final Set<ConnectionChannel> channels = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /**
     * Checks that the transport is open, before a connection is made.
     *
     * @throws FetchException with {@code DISCONNECTED} after {@link #close}
     */
    public void requireOpen(final NodeAddress address) throws FetchException {
        if (closed) {
            throw ConnectionChannel.closed(address);
        }
    }

    /** The channel over a connection; it is closed already where the transport is. */
    public ConnectionChannel add(final FetchConnection connection) {
        final ConnectionChannel channel = new ConnectionChannel(connection, channels::remove);
        channels.add(channel);
        if (closed) {
            channel.close();
        }
        return channel;
    }

    /** Closes all of them. Idempotent. */
    public void close() {
        closed = true;
        channels.forEach(ConnectionChannel::close);
    }
}
