// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.member;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * Calls the service of another node, over a connection that it keeps and opens again where it was
 * lost. One thread at a time; {@link #close} any.
 */
final class ServiceCaller implements AutoCloseable {
    private final Transport transport;
    private final NodeAddress service;
    private final JobCredentials credentials;
    private Channel channel;

    ServiceCaller(
            final Transport transport,
            final NodeAddress service,
            final JobCredentials credentials) {
        this.transport = transport;
        this.service = service;
        this.credentials = credentials;
    }

    /** Asks; opens the connection first where there is none, at most for the connect time-out. */
    CompletableFuture<ByteBuffer> call(final ByteBuffer request) {
        try {
            if (channel == null || !channel.isOpen()) {
                channel = transport.open(service, credentials);
            }
            return channel.call(request);
        } catch (final FetchException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Ends the connection, and what waits for an answer. */
    @Override
    public void close() {
        transport.close();
    }
}
