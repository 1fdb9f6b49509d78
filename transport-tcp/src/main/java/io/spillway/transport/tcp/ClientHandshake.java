package io.spillway.transport.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.MalformedFrameException;
import io.spillway.wire.Nonce;
import io.spillway.wire.Proof;
import io.spillway.wire.RefusedFrame;
import io.spillway.wire.WelcomeFrame;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of one mutual proof; hands over to a {@link ClientConnection}. Everything runs
 * on the channel's event loop.
 */
final class ClientHandshake extends ChannelInboundHandlerAdapter {
    private final NodeAddress address;
    private final JobCredentials credentials;
    private final ClientSettings settings;
    private final CompletableFuture<ClientConnection> opened;
    private final Nonce nonce;
    private final FrameAssembler assembler = new FrameAssembler();
    private final HttpAnswer httpAnswer = new HttpAnswer();
    private ChallengeFrame challenge;

    ClientHandshake(
            final NodeAddress address,
            final JobCredentials credentials,
            final ClientSettings settings,
            final SecureRandom random,
            final CompletableFuture<ClientConnection> opened) {
        this.address = address;
        this.credentials = credentials;
        this.settings = settings;
        this.opened = opened;
        this.nonce = Nonce.random(random);
    }

    @Override
    public void channelActive(final ChannelHandlerContext ctx) {
        final HelloFrame hello = new HelloFrame(nonce, settings.prefetch(), credentials.jobId());
        Outbound.writeAndFlush(ctx, Frames.encode(ctx.alloc(), hello::encode));
    }

    @Override
    public void channelRead(final ChannelHandlerContext ctx, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        try {
            read(ctx, in);
        } catch (final MalformedFrameException e) {
            fail(ctx, new FetchException(Reason.PROTOCOL, address + ": " + e.getMessage(), e));
        } catch (final FetchException e) {
            fail(ctx, e);
        } finally {
            in.release();
        }
    }

    private void read(final ChannelHandlerContext ctx, final ByteBuf in)
            throws MalformedFrameException, FetchException {
        if (challenge == null && httpAnswer.mayBe(in)) {
            if (httpAnswer.isWhole()) {
                throw httpAnswer.toException(address);
            }
            return;
        }
        while (!opened.isDone() && in.isReadable() && assembler.read(in)) {
            onFrame(ctx, assembler.type(), assembler.body());
        }
        if (in.isReadable() && opened.isDone()) {
            ctx.pipeline().fireChannelRead(in.readRetainedSlice(in.readableBytes()));
        }
    }

    private void onFrame(
            final ChannelHandlerContext ctx, final FrameType type, final ByteBuffer body)
            throws MalformedFrameException, FetchException {
        if (type == FrameType.REFUSED) {
            throw refused(RefusedFrame.decode(body));
        } else if (type == FrameType.CHALLENGE && challenge == null) {
            challenge = ChallengeFrame.decode(body);
            final AuthFrame auth = new AuthFrame(proof(Proof.Role.CLIENT));
            Outbound.writeAndFlush(ctx, Frames.encode(ctx.alloc(), auth::encode));
        } else if (type == FrameType.WELCOME && challenge != null) {
            welcomed(ctx, WelcomeFrame.decode(body));
        } else {
            throw new MalformedFrameException(
                    type
                            + " frame: not expected "
                            + (challenge == null ? "before" : "after")
                            + " CHALLENGE");
        }
    }

    private Proof proof(final Proof.Role role) {
        return Proof.of(
                role,
                credentials.secret(),
                nonce,
                challenge.nonce(),
                challenge.epoch(),
                credentials.jobId());
    }

    private void welcomed(final ChannelHandlerContext ctx, final WelcomeFrame welcome)
            throws FetchException {
        if (!proof(Proof.Role.NODE).matches(welcome.proof())) {
            throw new FetchException(
                    Reason.UNAUTHORIZED,
                    address + ": the node's proof for " + credentials.jobId() + " is wrong");
        }
        final ClientConnection connection =
                new ClientConnection(address, challenge.epoch(), welcome, settings);
        ctx.pipeline().replace(this, null, connection);
        opened.complete(connection);
    }

    private FetchException refused(final RefusedFrame frame) {
        final Reason reason =
                switch (frame.code()) {
                    case VERSION -> Reason.NOT_SPILLWAY;
                    case UNKNOWN_JOB -> Reason.UNKNOWN_JOB;
                    case UNAUTHORIZED -> Reason.UNAUTHORIZED;
                    case BUSY -> Reason.BUSY;
                };
        return new FetchException(
                reason, address + " refused: " + frame.code() + ", " + frame.message());
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
                new FetchException(
                        Reason.DISCONNECTED, address + ": " + cause.getMessage(), cause));
    }

    private void fail(final ChannelHandlerContext ctx, final FetchException cause) {
        opened.completeExceptionally(cause);
        Outbound.close(ctx);
    }
}
