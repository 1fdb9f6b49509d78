package io.spillway.hadoop.placement;

import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A task's questions to the placement service, over a connection that it keeps. One thread. */
final class ServiceClient implements AutoCloseable {
    private static final long ANSWER_MILLIS = 10_000;

    private final Transport transport;
    private final NodeAddress service;
    private final JobCredentials credentials;
    private Channel channel;

    ServiceClient(
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
    ByteBuffer ask(final ByteBuffer request) throws FetchException, InterruptedException {
        if (channel == null || !channel.isOpen()) {
            channel = transport.open(service, credentials);
        }
        final CompletableFuture<ByteBuffer> answer = channel.call(request);
        try {
            return answer.get(ANSWER_MILLIS, TimeUnit.MILLISECONDS);
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof FetchException known
                    ? known
                    : new FetchException(Reason.LOCAL, service + ": " + e.getCause(), e);
        } catch (final TimeoutException e) {
            throw new FetchException(
                    Reason.TIMED_OUT, service + ": no answer within " + ANSWER_MILLIS + " ms", e);
        }
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
