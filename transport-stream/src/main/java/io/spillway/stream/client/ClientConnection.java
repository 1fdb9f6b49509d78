// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.client;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderException;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Future;
import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.ClientSettings;
import io.spillway.protocol.ConnectionChannel;
import io.spillway.protocol.FetchConnection;
import io.spillway.protocol.PendingFetch;
import io.spillway.protocol.PendingWrite;
import io.spillway.protocol.ProvedNode;
import io.spillway.protocol.UnackedWrites;
import io.spillway.seal.SessionKeys;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.NodeAddress;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.WelcomeFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * The client's side of a proved connection: sends fetches and puts as far as there are credits, and
 * ends them all when it is lost. Everything runs on the channel's event loop, but what says
 * otherwise.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter
        implements FetchConnection {
    private final NodeAddress address;
    private final int version;
    private final ProvedNode node;
    private final Optional<SessionKeys> keys;
    private final AnswerClock clock;
    private final int credits;
    private final UnansweredFetches fetches = new UnansweredFetches();
    private final UnackedWrites writes;
    private WriteSender writeSender;
    private AnswerReader reader;
    private final CompletableFuture<EndpointFrame> joined = new CompletableFuture<>();
    private final CompletableFuture<FetchException> ended = new CompletableFuture<>();
    private boolean joining;
    private boolean flushing;
    private long nextRequestId;
    private ChannelHandlerContext ctx;
    private Future<?> timer;

    /** Set once, when the connection is lost; read by any thread. */
    private volatile FetchException lost;

    public ClientConnection(
            final NodeAddress address,
            final long epoch,
            final int version,
            final WelcomeFrame welcome,
            final Optional<SessionKeys> keys,
            final ClientSettings settings) {
        this.address = address;
        this.keys = keys;
        this.version = version;
        this.node = ProvedNode.of(address, epoch, version, welcome);
        this.clock = new AnswerClock(settings.readTimeoutMillis());
        this.credits = Math.min(welcome.credits(), settings.requestsInFlight());
        this.writes = new UnackedWrites(address, version, welcome.putCredits(), welcome.putBytes());
    }

    @Override
    public ProvedNode node() {
        return node;
    }

    /** The keys of the session; empty where its protection is authentication. */
    public Optional<SessionKeys> keys() {
        return keys;
    }

    @Override
    public boolean isOpen() {
        return lost == null;
    }

    /** Any thread: the node's answer to {@link #join}. */
    public CompletableFuture<EndpointFrame> joined() {
        return joined;
    }

    /** Any thread: why the connection was lost, once it is. */
    public CompletableFuture<FetchException> ended() {
        return ended;
    }

    @Override
    public EventExecutor executor() {
        return ctx.executor();
    }

    // ---- life ----------------------------------------------------------------------------------

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        ctx = context;
        writeSender = new WriteSender(context, version, writes, clock::asked);
        reader = new AnswerReader(address, version, fetches, writes, clock, this::onFrame);
        final long period = clock.periodMillis();
        guard(
                () ->
                        timer =
                                ctx.executor()
                                        .scheduleWithFixedDelay(
                                                () -> guard(this::watch),
                                                period,
                                                period,
                                                TimeUnit.MILLISECONDS));
    }

    /** Tasks and timers run in this: Netty would log what they throw, and go on without them. */
    private void guard(final Runnable task) {
        try {
            task.run();
        } catch (final RuntimeException | Error e) {
            fail(e);
        }
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) {
        lose(Reason.DISCONNECTED, "the node closed the connection", null);
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        lose(reasonOf(address, cause));
    }

    /** What breaks a connection is the network's or the node's doing; all else is this side's. */
    public static FetchException reasonOf(final NodeAddress address, final Throwable cause) {
        final boolean isOfTls =
                cause instanceof DecoderException && cause.getCause() instanceof SSLException;
        final Throwable reason = isOfTls ? cause.getCause() : cause;
        return reason instanceof IOException
                ? new FetchException(
                        Reason.DISCONNECTED, address + ": " + reason.getMessage(), cause)
                : ConnectionChannel.failed(address, cause);
    }

    @Override
    public void fail(final Throwable cause) {
        lose(ConnectionChannel.failed(address, cause));
    }

    @Override
    public void close() {
        lose(Reason.DISCONNECTED, "closed by this side", null);
    }

    private void lose(final Reason reason, final String why, final Throwable cause) {
        if (lost == null) {
            lose(new FetchException(reason, address + ": " + why, cause));
        }
    }

    /** Ends the connection and fails everything, once. */
    private void lose(final FetchException cause) {
        if (lost == null) {
            lost = cause;
            settle();
        }
    }

    /** Every step may be repeated: where one fails, {@link #watch} comes back to it. */
    private void settle() {
        Outbound.close(ctx);
        fetches.failAll(lost);
        writes.failAll(lost);
        joined.completeExceptionally(lost);
        ended.complete(lost);
        if (timer != null) {
            timer.cancel(false);
        }
    }

    // ---- time ----------------------------------------------------------------------------------

    private void watch() {
        if (lost != null) {
            settle();
            return;
        }
        if (isBusy()) {
            final long millis = clock.tooLongWithoutAnswer();
            if (millis >= 0) {
                lose(
                        Reason.TIMED_OUT,
                        "no answer for "
                                + millis
                                + " ms, fetches in flight="
                                + fetches.inFlightCount()
                                + ", puts in flight="
                                + writes.inFlightCount(),
                        null);
            }
            return;
        }
        final long millis = clock.tooLongSilent();
        if (millis >= 0) {
            lose(Reason.TIMED_OUT, "no answer to a ping for " + millis + " ms", null);
        } else if (clock.pingIsDue()) {
            Outbound.writeAndFlush(ctx, Frames.encode(ctx.alloc(), version, FrameType.PING));
        }
    }

    private boolean isBusy() {
        return fetches.inFlightCount() + writes.inFlightCount() > 0;
    }

    // ---- sending -------------------------------------------------------------------------------

    @Override
    public void add(final PendingFetch fetch) {
        final FetchException obstacle =
                lost == null ? fetch.obstacle(address, node.limits().maxRequestLength()) : lost;
        if (obstacle == null) {
            fetches.add(fetch);
        } else {
            fetch.fail(obstacle);
        }
    }

    @Override
    public void add(final PendingWrite write) {
        if (lost == null) {
            writes.add(write);
        } else {
            write.fail(lost);
        }
    }

    @Override
    public void flush() {
        final boolean fetched = sendFetches();
        final boolean written = sendWrites();
        if (fetched || written) {
            ctx.flush();
        }
    }

    private boolean sendFetches() {
        boolean sent = false;
        while (lost == null && fetches.inFlightCount() < credits && fetches.isWaiting()) {
            final PendingFetch fetch = fetches.next();
            send(fetch);
            sent = true;
            fetches.handled(fetch);
        }
        return sent;
    }

    private boolean sendWrites() {
        boolean sent = false;
        for (PendingWrite write = nextWrite(); write != null; write = nextWrite()) {
            askedIfFirst();
            writeSender.send(write, nextRequestId++);
            writes.handled(write);
            sent = true;
        }
        return sent;
    }

    private PendingWrite nextWrite() {
        return lost == null ? writes.next() : null;
    }

    private void askedIfFirst() {
        if (!isBusy()) {
            clock.asked();
        }
    }

    /** Where it throws, the fetch still waits. */
    private void send(final PendingFetch fetch) {
        final long requestId = nextRequestId++;
        final FetchFrame frame = fetch.frame(requestId);
        final ByteBuf bytes =
                Frames.encode(ctx.alloc(), FetchFrame.MAX_LENGTH, version, frame::encode);
        askedIfFirst();
        try {
            fetches.sent(requestId, fetch);
        } catch (final RuntimeException | Error e) {
            bytes.release();
            throw e;
        }
        Outbound.write(ctx, bytes);
    }

    /** Takes and sends one write of another path; whatever happens here, it is answered for. */
    public void send(final PendingWrite write) {
        guard(
                () -> {
                    add(write);
                    flushSoon();
                });
        if (lost != null) {
            write.fail(lost);
        }
    }

    /** After the tasks that wait already: they may bring more. */
    private void flushSoon() {
        if (!flushing) {
            ctx.executor().execute(() -> guard(this::flushNow));
            flushing = true;
        }
    }

    private void flushNow() {
        flushing = false;
        flush();
    }

    /** Tells the node of this side's end of another path. */
    public void join(final EndpointFrame frame) {
        guard(
                () -> {
                    if (lost == null) {
                        joining = true;
                        Outbound.writeAndFlush(
                                ctx, Frames.encode(ctx.alloc(), version, frame::encode));
                    }
                });
    }

    // ---- receiving -----------------------------------------------------------------------------

    @Override
    public void channelRead(final ChannelHandlerContext context, final Object message) {
        final ByteBuf in = (ByteBuf) message;
        try {
            clock.heard();
            while (lost == null && in.isReadable()) {
                reader.read(in);
            }
        } catch (final MalformedFrameException e) {
            lose(Reason.PROTOCOL, e.getMessage(), e);
        } finally {
            in.release();
        }
    }

    /** What answers no request. */
    private void onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        switch (type) {
            case PING ->
                    Outbound.writeAndFlush(
                            ctx, Frames.encode(ctx.alloc(), version, FrameType.PONG));
            case PONG -> {}
            case ENDPOINT -> onJoin(EndpointFrame.decode(body));
            default ->
                    throw new MalformedFrameException(
                            type + " frame: not expected from a node after WELCOME");
        }
    }

    private void onJoin(final EndpointFrame frame) throws MalformedFrameException {
        if (!joining || !joined.complete(frame)) {
            throw new MalformedFrameException(
                    "ENDPOINT frame: not expected before the client's own, nor twice");
        }
    }

    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        flush();
    }
}
