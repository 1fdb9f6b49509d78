// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.channel.ChannelHandlerContext;
import io.spillway.bootstrap.OtherPath;
import io.spillway.seal.SessionKeys;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.wire.EndpointFrame;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A client's connection, as another path to the same client sees it. Thread-safe. */
final class ProvedClient implements OtherPath.Client {
    private final ServerConnection connection;
    private final ChannelHandlerContext ctx;
    private final String jobId;
    private final int version;
    private final boolean prefetch;
    private final Optional<SessionKeys> keys;
    private final InetAddress address;

    ProvedClient(
            final ServerConnection connection,
            final ChannelHandlerContext ctx,
            final String jobId,
            final int version,
            final boolean prefetch,
            final Optional<SessionKeys> keys) {
        this.connection = connection;
        this.ctx = ctx;
        this.jobId = jobId;
        this.version = version;
        this.prefetch = prefetch;
        this.keys = keys;
        this.address = ((InetSocketAddress) ctx.channel().remoteAddress()).getAddress();
    }

    @Override
    public String jobId() {
        return jobId;
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public boolean prefetch() {
        return prefetch;
    }

    @Override
    public Optional<SessionKeys> keys() {
        return keys;
    }

    @Override
    public InetAddress address() {
        return address;
    }

    @Override
    public String name() {
        return connection.peer();
    }

    @Override
    public void answer(final EndpointFrame frame) {
        connection.onEventLoop(
                () ->
                        Outbound.writeAndFlush(
                                ctx, Frames.encode(ctx.alloc(), version, frame::encode)));
    }

    @Override
    public void close() {
        connection.close();
    }

    @Override
    public void drop(final String reason) {
        connection.onEventLoop(() -> connection.drop(reason));
    }
}
