// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.spillway.frame.FrameLayout;
import io.spillway.frame.MalformedFrameException;
import io.spillway.frame.OtherVersionException;
import io.spillway.protocol.ClientSettings;
import io.spillway.seal.SessionKeys;
import io.spillway.stream.frame.FrameAssembler;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.stream.frame.RecordOpener;
import io.spillway.stream.frame.RecordSealer;
import io.spillway.stream.frame.SocketAddresses;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.version.VersionRange;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.FrameType;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of one mutual proof; hands over to a {@link ClientConnection}. Everything runs
 * on the channel's event loop.
 */
public final class HandshakeHandler extends ChannelInboundHandlerAdapter {
    private final NodeAddress address;
    private final ClientSettings settings;
    private final CompletableFuture<ClientConnection> opened;
    private final JobCredentials credentials;
    private final VersionRange offered;
    private final SecureRandom random;
    private ClientHandshake handshake;
    private final FrameAssembler assembler;
    private final HttpAnswer httpAnswer = new HttpAnswer();

    public HandshakeHandler(
            final NodeAddress address,
            final JobCredentials credentials,
            final ClientSettings settings,
            final VersionRange offered,
            final SecureRandom random,
            final CompletableFuture<ClientConnection> opened) {
        this.address = address;
        this.settings = settings;
        this.opened = opened;
        this.credentials = credentials;
        this.offered = offered;
        this.random = random;
        // A node may refuse in any version; whether another frame has the right one, the
        // hand-shake checks.
        this.assembler = new FrameAssembler(FrameType.VERSIONS);
    }

    @Override
    public void channelActive(final ChannelHandlerContext ctx) {
        final SocketAddress dialled = ctx.channel().remoteAddress();
        handshake =
                new ClientHandshake(
                        address,
                        credentials,
                        settings.prefetch(),
                        settings.protection(),
                        settings.versions(),
                        offered,
                        SocketAddresses.textOf(dialled),
                        random);
        send(ctx, handshake.helloVersion(), handshake.hello()::encode);
    }

    private static void send(
            final ChannelHandlerContext ctx, final int version, final FrameLayout frame) {
        Outbound.writeAndFlush(ctx, Frames.encode(ctx.alloc(), version, frame));
    }

    @Override
    public void channelRead(final ChannelHandlerContext ctx, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        try {
            read(ctx, in);
        } catch (final OtherVersionException e) {
            fail(ctx, new FetchException(reasonOf(e), address + ": " + e.getMessage(), e));
        } catch (final MalformedFrameException e) {
            fail(ctx, new FetchException(Reason.PROTOCOL, address + ": " + e.getMessage(), e));
        } catch (final FetchException | OtherHelloException e) {
            fail(ctx, e);
        } finally {
            in.release();
        }
    }

    /** A node of another version refuses, in a frame of its own version. */
    private Reason reasonOf(final OtherVersionException cause) {
        return !handshake.isChallenged() && cause.frame() == FrameType.REFUSED
                ? Reason.NOT_SPILLWAY
                : Reason.PROTOCOL;
    }

    private void read(final ChannelHandlerContext ctx, final ByteBuf in)
            throws MalformedFrameException, FetchException, OtherHelloException {
        if (!handshake.isChallenged() && httpAnswer.mayBe(in)) {
            if (httpAnswer.isWhole()) {
                throw httpAnswer.toException(address);
            }
            return;
        }
        while (!opened.isDone() && in.isReadable() && assembler.read(in)) {
            onFrame(ctx, assembler.type(), assembler.version(), assembler.body());
        }
        if (in.isReadable() && opened.isDone()) {
            ctx.pipeline().fireChannelRead(in.readRetainedSlice(in.readableBytes()));
        }
    }

    private void onFrame(
            final ChannelHandlerContext ctx,
            final FrameType type,
            final int version,
            final ByteBuffer body)
            throws MalformedFrameException, FetchException, OtherHelloException {
        final Optional<AuthFrame> auth = handshake.onFrame(type, version, body);
        if (auth.isPresent()) {
            send(ctx, handshake.version(), auth.get()::encode);
        } else if (handshake.isWelcome()) {
            welcomed(ctx);
        }
    }

    private void welcomed(final ChannelHandlerContext ctx) {
        final Optional<SessionKeys> keys = handshake.keys();
        final ClientConnection connection =
                new ClientConnection(
                        address,
                        handshake.epoch(),
                        handshake.version(),
                        handshake.welcome(),
                        keys,
                        settings);
        keys.ifPresent(sealing -> seal(ctx, sealing));
        ctx.pipeline().replace(this, null, connection);
        opened.complete(connection);
    }

    private static void seal(final ChannelHandlerContext ctx, final SessionKeys keys) {
        ctx.pipeline()
                .addBefore(ctx.name(), null, new RecordOpener(keys.ofNode()))
                .addBefore(ctx.name(), null, new RecordSealer(keys.ofClient()));
    }

    @Override
    public void channelInactive(final ChannelHandlerContext ctx) {
        final FetchException cause =
                httpAnswer.hasBegun()
                        ? httpAnswer.toException(address)
                        : new FetchException(
                                Reason.DISCONNECTED,
                                address + ": the node closed the connection during the handshake");
        fail(ctx, cause);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext ctx, final Throwable cause) {
        fail(
                ctx,
                cause instanceof FetchException failure
                        ? failure
                        : ClientConnection.reasonOf(address, cause));
    }

    private void fail(final ChannelHandlerContext ctx, final Exception cause) {
        opened.completeExceptionally(cause);
        Outbound.close(ctx);
    }
}
