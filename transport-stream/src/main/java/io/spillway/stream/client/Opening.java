// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ConnectTimeoutException;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.ConnectionChannel;
import io.spillway.stream.frame.Outbound;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.version.VersionRange;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One connection from the attempt to connect until both sides are proved. Used by one thread. */
final class Opening {
    private final NodeAddress address;
    private final ClientSettings settings;
    private final CompletableFuture<ClientConnection> opened = new CompletableFuture<>();
    private final ChannelHandler handler;

    /**
     * Begins.
     *
     * @param address of the node, for messages
     * @param credentials what to prove
     * @param offered the versions to name
     */
    Opening(
            final NodeAddress address,
            final JobCredentials credentials,
            final ClientSettings settings,
            final VersionRange offered,
            final SecureRandom random) {
        this.address = address;
        this.settings = settings;
        this.handler =
                new HandshakeHandler(address, credentials, settings, offered, random, opened);
    }

    /** The first handler of the connection. */
    ChannelHandler handler() {
        return handler;
    }

    /**
     * Waits; the channel is closed where this fails.
     *
     * @param connecting the attempt to connect, of a channel with the {@link #handler}
     * @param deadline of the nanosecond clock, until which to wait
     * @throws FetchException that says why the node cannot be reached, or has not proved itself
     * @throws OtherHelloException where the node is to be asked in another version
     */
    ClientConnection await(final ChannelFuture connecting, final long deadline)
            throws FetchException, OtherHelloException {
        connecting.addListener(
                future -> {
                    if (!future.isSuccess()) {
                        opened.completeExceptionally(connectFailed(future.cause()));
                    }
                });
        final FetchException failure;
        try {
            return opened.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (final ExecutionException e) {
            if (e.getCause() instanceof OtherHelloException other) {
                throw other;
            }
            failure = reasonOf(e.getCause());
        } catch (final TimeoutException e) {
            failure =
                    new FetchException(
                            Reason.TIMED_OUT,
                            address
                                    + ": not open and authenticated within "
                                    + settings.connectTimeoutMillis()
                                    + " ms",
                            e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            failure = new FetchException(Reason.DISCONNECTED, address + ": interrupted", e);
        }
        connecting.cancel(false);
        Outbound.close(connecting.channel());
        throw failure;
    }

    private FetchException connectFailed(final Throwable cause) {
        return cause instanceof ConnectTimeoutException
                ? new FetchException(Reason.TIMED_OUT, address + ": " + cause.getMessage(), cause)
                : ClientConnection.reasonOf(address, cause);
    }

    private FetchException reasonOf(final Throwable cause) {
        return cause instanceof FetchException failure
                ? failure
                : ConnectionChannel.failed(address, cause);
    }
}
