// SPDX-License-Identifier: Apache-2.0
package io.spillway.stream.server;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.Future;
import io.spillway.bootstrap.OtherPath;
import io.spillway.frame.FrameLayout;
import io.spillway.frame.MalformedFrameException;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.protocol.ServerSettings;
import io.spillway.seal.SessionKeys;
import io.spillway.stream.frame.Frames;
import io.spillway.stream.frame.Outbound;
import io.spillway.stream.frame.RecordOpener;
import io.spillway.stream.frame.RecordSealer;
import io.spillway.stream.frame.SocketAddresses;
import io.spillway.transport.TransportOffer;
import io.spillway.transport.serve.ServerStats.Refusal;
import io.spillway.wire.AbortFrame;
import io.spillway.wire.AuthFrame;
import io.spillway.wire.CallFrame;
import io.spillway.wire.ChallengeFrame;
import io.spillway.wire.CommitFrame;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import io.spillway.wire.HelloFrame;
import io.spillway.wire.PutFrame;
import io.spillway.wire.RefusedFrame;
import io.spillway.wire.WelcomeFrame;
import io.spillway.wire.WriteFrame;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's connection: reads its frames, has it prove itself, and hands its fetches to an
 * {@link AnswerQueue}. Everything runs on the channel's event loop.
 */
final class ServerConnection extends ByteToMessageDecoder {
    private static final Logger LOG = LoggerFactory.getLogger(ServerConnection.class);

    /** A wrong proof is answered that long after it has come, whatever the node did with it. */
    private static final long REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    private enum State {
        HELLO,
        AUTH,
        READY,
        ENDED
    }

    private final StreamServer server;
    private final ServerSettings settings;
    private State state = State.HELLO;
    private ChannelHandlerContext ctx;
    private final IncomingFrames frames;
    private IdleWatch idle;
    private ServerHandshake handshake;
    private boolean prefetch;
    private Optional<SessionKeys> keys = Optional.empty();
    private AnswerQueue answers;
    private WriteReader writes;
    private OtherPath.Session otherPath;
    private Future<?> timer;
    private Object source = "none";

    /**
     * Read by other threads, to end the connections of a job. Set before the job's secret is looked
     * up for the proof: a job that ends from then on finds this connection, one that has ended
     * before has no secret. Null until then.
     */
    private volatile String jobId;

    /** Read by other threads. */
    private volatile boolean isServed;

    ServerConnection(final StreamServer server) {
        this.server = server;
        this.settings = server.settings();
        this.frames = new IncomingFrames(settings.versions());
    }

    // ---- life ----------------------------------------------------------------------------------

    @Override
    public void handlerAdded(final ChannelHandlerContext context) {
        ctx = context;
        idle = new IdleWatch(context, settings.idleTimeoutMillis(), this::drop);
        guard(
                () -> {
                    source = sourceOf(context.channel().remoteAddress());
                    if (!server.admit(this)) {
                        close();
                        return;
                    }
                    final long patience = settings.authTimeoutMillis();
                    timer =
                            ctx.executor()
                                    .schedule(
                                            () -> guard(() -> authTimedOut(patience)),
                                            patience,
                                            TimeUnit.MILLISECONDS);
                });
    }

    private static Object sourceOf(final SocketAddress remote) {
        if (remote instanceof InetSocketAddress socket) {
            return socket.getAddress();
        }
        return remote == null ? "none" : remote;
    }

    /** Where it comes from, as the key of a map; any thread. */
    Object source() {
        return source;
    }

    /** Tasks and timers run in this: Netty would log what they throw, and go on without them. */
    private void guard(final Runnable task) {
        try {
            task.run();
        } catch (final RuntimeException | Error e) {
            exceptionCaught(ctx, e);
        }
    }

    @Override
    protected void handlerRemoved0(final ChannelHandlerContext context) {
        ended();
    }

    @Override
    public void channelInactive(final ChannelHandlerContext context) throws Exception {
        warnOfTruncation();
        ended();
        super.channelInactive(context);
    }

    /** A connection may end between frames at any time; within one, something is wrong. */
    private void warnOfTruncation() {
        final String where = frames.endedWithin(actualReadableBytes());
        if (state != State.ENDED && !where.isEmpty()) {
            server.warnings().warn("The connection of " + peer() + " ended within " + where);
        }
    }

    private void ended() {
        state = State.ENDED;
        isServed = false;
        if (timer != null) {
            timer.cancel(false);
        }
        if (answers != null) {
            answers.close();
        }
        if (writes != null) {
            writes.close();
        }
        if (otherPath != null) {
            otherPath.clientLeft();
            otherPath = null;
        }
        server.forget(this);
    }

    /** Any thread. */
    void close() {
        Outbound.close(ctx);
    }

    /** Any thread: the job that has proved itself here, while it is connected. */
    Optional<String> jobInUse() {
        return isServed ? Optional.of(jobId) : Optional.empty();
    }

    /** Any thread. */
    void closeIfOf(final String endedJobId) {
        if (endedJobId.equals(jobId)) {
            close();
        }
    }

    /** Ends this connection, and nothing else, with one line in the log. */
    void drop(final String reason) {
        drop(Refusal.ERROR, reason);
    }

    /** As {@link #drop(String)}; {@code refusal} is why it is not served, if it is not yet. */
    private void drop(final Refusal refusal, final String reason) {
        if (state == State.ENDED) {
            return;
        }
        if (state != State.READY) {
            server.counters().addRefused(refusal);
        }
        state = State.ENDED;
        server.warnings().warn("Closing the connection of " + peer() + ": " + reason);
        Outbound.close(ctx);
    }

    /** Who it is, for people. */
    String peer() {
        final boolean proved = answers != null;
        return ctx.channel().remoteAddress() + (proved ? " (" + jobId + ")" : "");
    }

    @Override
    public void exceptionCaught(final ChannelHandlerContext context, final Throwable cause) {
        try {
            LOG.debug("Connection of {} failed", peer(), cause);
            if (cause instanceof MalformedFrameException) {
                drop(cause.getMessage());
            } else if (!(cause instanceof IOException)) {
                drop(cause.toString());
            }
        } finally {
            // Also where it has ended before, and was to close when its last frame had left.
            state = State.ENDED;
            Outbound.close(ctx);
        }
    }

    // ---- time ----------------------------------------------------------------------------------

    private void authTimedOut(final long patience) {
        drop(Refusal.NO_PROOF, "no proof within " + patience + " ms, state=" + state);
    }

    /** Any thread: others wait for its place. */
    void evict() {
        onEventLoop(this::giveWay);
    }

    /** One that has sent its HELLO gets an answer: with it unread, closing would reset it. */
    private void giveWay() {
        if (state == State.AUTH) {
            refuse(busy());
        } else if (state == State.HELLO) {
            drop(Refusal.NO_PROOF, "no proof, and others wait, state=" + state);
        }
    }

    private void watch() {
        answers.check();
        writes.check();
        if (writes.isPaused()) {
            // It is this node that does not read.
            idle.active();
        }
        idle.check();
    }

    // ---- frames --------------------------------------------------------------------------------

    @Override
    protected void decode(
            final ChannelHandlerContext context, final ByteBuf in, final List<Object> out) {
        idle.active();
        if (state == State.ENDED) {
            in.skipBytes(in.readableBytes());
            return;
        }
        if (writes != null && writes.isReceiving()) {
            readWrite(in);
            return;
        }
        try {
            if (frames.next(in)) {
                onFrame(frames.type(), frames.body());
            }
        } catch (final MalformedFrameException e) {
            drop(Refusal.MALFORMED, e.getMessage());
        } catch (final RefusedException e) {
            refuse(e);
        }
    }

    /** Takes nothing while there is no room for it; what has come waits, and no more is read. */
    private void readWrite(final ByteBuf in) {
        if (!writes.isPaused()) {
            writes.read(in);
        }
    }

    private void onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException, RefusedException {
        if (state == State.HELLO && type == FrameType.HELLO) {
            onHello(HelloFrame.decode(body, frames.version()));
        } else if (state == State.AUTH && type == FrameType.AUTH) {
            onAuth(AuthFrame.decode(body, frames.version()));
        } else if (state == State.READY && type == FrameType.FETCH) {
            onFetch(FetchFrame.decode(body));
        } else if (state == State.READY && type == FrameType.PUT) {
            onWrite(PutFrame.decode(body));
        } else if (state == State.READY && type == FrameType.COMMIT) {
            onWrite(CommitFrame.decode(body, frames.version()));
        } else if (state == State.READY && type == FrameType.ABORT) {
            onWrite(AbortFrame.decode(body));
        } else if (state == State.READY && type == FrameType.CALL) {
            onWrite(CallFrame.decode(body));
        } else if (state == State.READY && type == FrameType.PING) {
            idle.pinged();
        } else if (state == State.READY && type == FrameType.ENDPOINT && mayJoin()) {
            otherPath = join(EndpointFrame.decode(body));
        } else if (state != State.READY || type != FrameType.PONG) {
            throw new MalformedFrameException(type + " frame: not expected in state " + state);
        }
    }

    private void onHello(final HelloFrame hello) throws RefusedException {
        handshake =
                new ServerHandshake(
                        server.secrets(),
                        hello,
                        server.epoch(),
                        settings.versions(),
                        settings.protection(),
                        server.random());
        final ChallengeFrame challenge = handshake.challenge();
        frames.agreeOn(handshake.version());
        send(challenge::encode);
        state = State.AUTH;
    }

    /** In the version of the session. */
    private void send(final FrameLayout frame) {
        Outbound.writeAndFlush(ctx, Frames.encode(ctx.alloc(), frames.version(), frame));
    }

    private RefusedException busy() {
        return new RefusedException(
                Refusal.FULL,
                RefusedFrame.Code.BUSY,
                "connections=" + server.connectionCount() + ", no more are served now");
    }

    /** A refusal comes at a fixed time: its delay does not tell a stranger which jobs there are. */
    private void onAuth(final AuthFrame auth) throws MalformedFrameException {
        final long cameNanos = System.nanoTime();
        try {
            prove(auth);
        } catch (final RefusedException e) {
            end(e);
            timer.cancel(false);
            timer =
                    ctx.executor()
                            .schedule(
                                    () -> guard(() -> answer(e)),
                                    cameNanos + REFUSAL_NANOS - System.nanoTime(),
                                    TimeUnit.NANOSECONDS);
        }
    }

    private void prove(final AuthFrame auth) throws RefusedException, MalformedFrameException {
        handshake.agree(auth);
        if (handshake.isSealed() && actualReadableBytes() > 0) {
            // They are not sealed: somebody on the way may have added them.
            throw new MalformedFrameException(
                    "bytes after AUTH=" + actualReadableBytes() + ", expected 0 before WELCOME");
        }
        jobId = handshake.jobId();
        final WelcomeFrame welcome = handshake.prove(auth, limits());
        requireDialled();
        if (!server.serve(this, jobId)) {
            throw busy();
        }
        isServed = true;
        send(welcome::encode);
        keys = handshake.sessionKeys();
        keys.ifPresent(this::seal);
        state = State.READY;
        answers =
                new AnswerQueue(
                        server,
                        jobId,
                        frames.version(),
                        handshake.prefetch(),
                        ctx,
                        idle::active,
                        this::adjustReading,
                        this::drop);
        writes =
                new WriteReader(
                        server, jobId, frames.version(), ctx, this::resumeWrite, this::drop);
        prefetch = handshake.prefetch();
        handshake = null;
        startWatch();
    }

    /** From here on. */
    private void seal(final SessionKeys session) {
        ctx.pipeline()
                .addBefore(ctx.name(), null, new RecordOpener(session.ofClient()))
                .addBefore(ctx.name(), null, new RecordSealer(session.ofNode()));
    }

    private void requireDialled() throws RefusedException {
        if (SocketAddresses.isOfNetwork(own())) {
            handshake.requireDialled(SocketAddresses.textOf(own()), settings.aliases());
        }
    }

    /** Where it has arrived. */
    private SocketAddress own() {
        return ctx.channel().localAddress();
    }

    private WelcomeFrame limits() {
        final boolean takesPuts =
                server.source().sink().isPresent() || server.source().service().isPresent();
        return WelcomeFrame.unproved(
                settings.maxRequestLength(),
                settings.credits(),
                takesPuts ? settings.putCredits() : 0,
                takesPuts ? settings.putBytes() : 0,
                TransportOffer.format(TransportOffer.TCP, server.offers()));
    }

    private void startWatch() {
        idle.speak(frames.version());
        timer.cancel(false);
        final long period = idle.periodMillis();
        timer =
                ctx.executor()
                        .scheduleWithFixedDelay(
                                () -> guard(this::watch), period, period, TimeUnit.MILLISECONDS);
    }

    private void onWrite(final WriteFrame frame) {
        writes.begin(frame);
        adjustReading();
    }

    /** A payload that had no room has some: what has come of it is read first. */
    private void resumeWrite() {
        adjustReading();
        try {
            channelRead(ctx, Unpooled.EMPTY_BUFFER);
            channelReadComplete(ctx);
        } catch (final Exception e) {
            exceptionCaught(ctx, e);
        }
    }

    private void adjustReading() {
        ctx.channel().config().setAutoRead(answers.hasRoomForBytes() && !writes.isPaused());
    }

    private void onFetch(final FetchFrame fetch) {
        answers.add(fetch);
    }

    /** As inherited, but that would go on reading whatever {@link #adjustReading} says. */
    @Override
    public void channelReadComplete(final ChannelHandlerContext context) {
        if (state == State.READY) {
            idle.answerPings();
            answers.flush();
        }
        discardSomeReadBytes();
        context.fireChannelReadComplete();
    }

    private OtherPath.Session join(final EndpointFrame frame) throws MalformedFrameException {
        requireSeal();
        return server.otherPath()
                .open(new ProvedClient(this, ctx, jobId, frames.version(), prefetch, keys), frame);
    }

    /** Refuses an unprotected path beside a connection that is, or has to be, protected. */
    private void requireSeal() throws MalformedFrameException {
        final boolean isKeyed = settings.protection().isKeyed() || keys.isPresent();
        if (isKeyed && frames.version() <= FrameType.V13) {
            throw new MalformedFrameException(
                    "ENDPOINT frame: not expected in a session of version "
                            + frames.version()
                            + " under "
                            + ProtocolKeys.PROTECTION
                            + "=integrity or privacy: before version 14 only the connection is"
                            + " protected; the client can fetch over it");
        }
    }

    private boolean mayJoin() {
        return server.otherPath() != null && otherPath == null;
    }

    private void refuse(final RefusedException refusal) {
        end(refusal);
        answer(refusal);
    }

    private void end(final RefusedException refusal) {
        server.counters().addRefused(refusal.refusal());
        state = State.ENDED;
        final String line = "Refusing the connection of " + peer() + ": " + refusal.getMessage();
        if (refusal.isSuspicious()) {
            server.warnings().warn(line);
        } else {
            LOG.debug("{}", line);
        }
    }

    private void answer(final RefusedException refusal) {
        ctx.writeAndFlush(Frames.encode(ctx.alloc(), frames.version(), refusal.frame()::encode))
                .addListener(ChannelFutureListener.CLOSE);
    }

    /** Any thread: runs a task on the event loop, where that has not stopped. */
    void onEventLoop(final Runnable task) {
        try {
            ctx.executor().execute(() -> guard(task));
        } catch (final RejectedExecutionException e) {
            LOG.debug("The server has stopped", e);
        }
    }
}
