// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.tcp;

import io.spillway.bootstrap.ControlConnection;
import io.spillway.protocol.ConnectionChannel;
import io.spillway.protocol.PendingWrite;
import io.spillway.protocol.ProvedNode;
import io.spillway.seal.SessionKeys;
import io.spillway.stream.client.ClientConnection;
import io.spillway.transport.FetchException;
import io.spillway.wire.EndpointFrame;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;

/** A proved connection of this transport beside another path. Thread-safe. */
public final class TcpControlConnection implements ControlConnection {
    private final ClientConnection connection;
    private final ConnectionChannel channel;

    public TcpControlConnection(
            final ClientConnection connection, final ConnectionChannel channel) {
        this.connection = connection;
        this.channel = channel;
    }

    @Override
    public ProvedNode node() {
        return connection.node();
    }

    @Override
    public Optional<SessionKeys> keys() {
        return connection.keys();
    }

    @Override
    public CompletableFuture<EndpointFrame> join(final EndpointFrame frame) {
        try {
            connection.executor().execute(() -> connection.join(frame));
        } catch (final RejectedExecutionException e) {
            connection.joined().completeExceptionally(ConnectionChannel.closed(node().address()));
        }
        return connection.joined();
    }

    @Override
    public void add(final PendingWrite write) {
        try {
            connection.executor().execute(() -> connection.send(write));
        } catch (final RejectedExecutionException e) {
            write.fail(ConnectionChannel.closed(node().address()));
        } catch (final RuntimeException | Error e) {
            write.fail(ConnectionChannel.failed(node().address(), e));
        }
    }

    @Override
    public CompletableFuture<FetchException> ended() {
        return connection.ended();
    }

    @Override
    public void close() {
        channel.close();
    }
}
