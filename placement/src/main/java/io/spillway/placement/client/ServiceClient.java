// SPDX-License-Identifier: Apache-2.0
package io.spillway.placement.client;

import io.spillway.placement.ServiceAnswers;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.nio.ByteBuffer;

/** A task's questions to the placement service, over a connection that it keeps. One thread. */
public final class ServiceClient implements AutoCloseable {
    private final Transport transport;
    private final NodeAddress service;
    private final JobCredentials credentials;
    private Channel channel;

    /** Opens no connection yet. */
    public ServiceClient(
            final Transport transport,
            final NodeAddress service,
            final JobCredentials credentials) {
        this.transport = transport;
        this.service = service;
        this.credentials = credentials;
    }

    /**
     * Asks, and waits for the answer for some seconds at most.
     *
     * @throws FetchException where the service cannot be reached, or refuses
     */
    public ByteBuffer ask(final ByteBuffer request) throws FetchException, InterruptedException {
        if (channel == null || !channel.isOpen()) {
            channel = transport.open(service, credentials);
        }
        return ServiceAnswers.await(service, channel.call(request));
    }

    @Override
    public String toString() {
        return service.toString();
    }

    @Override
    public void close() {
        if (channel != null) {
            channel.close();
        }
    }
}
