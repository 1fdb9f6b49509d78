// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import io.spillway.bootstrap.OtherPath;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.MessageFrames;
import io.spillway.transport.ucx.worker.PathSeal;
import io.spillway.transport.ucx.worker.UcxLibrary;
import io.spillway.wire.EndpointFrame;
import io.spillway.wire.FetchFrame;
import io.spillway.wire.FrameType;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.openucx.jucx.UcxException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One client's path, which it may go since it has proved itself on its tcp connection: hands its
 * fetches to a {@link PathAnswers}. Used by the thread of UCX, but what says otherwise.
 */
final class ServerPath implements OtherPath.Session {
    private static final Logger LOG = LoggerFactory.getLogger(ServerPath.class);

    /** A client that leaves sooner may not have sent anything. */
    private static final long TO_BE_HEARD_MILLIS = 1_000;

    private final UcxSegmentServer server;
    private final ServerWorker worker;
    private final OtherPath.Client client;
    private final EndpointFrame join;
    private final Envelope envelope;
    private final PathSeal seal;
    private long id;
    private Link link;
    private PathAnswers answers;
    private boolean closed;
    private boolean heartbeatQueued;
    private long lastActivityNanos;

    /**
     * Any thread; {@link #open} follows.
     *
     * @param join where its end of the path is
     */
    ServerPath(
            final UcxSegmentServer server,
            final ServerWorker worker,
            final OtherPath.Client client,
            final EndpointFrame join) {
        this.server = server;
        this.worker = worker;
        this.client = client;
        this.join = join;
        this.envelope = new Envelope(join.id(), client.version());
        this.seal = PathSeal.ofNode(client.keys());
    }

    /** What the client is to speak to this connection by; once it is open. */
    long id() {
        return id;
    }

    /**
     * Tells the client where this end of the path is; it comes then.
     *
     * @param newId what the client is to speak to this connection by
     */
    void open(final long newId) {
        if (closed) {
            return;
        }
        id = newId;
        worker.opened(this);
        active();
        client.answer(new EndpointFrame(id, worker.thread().workerAddress()));
    }

    /**
     * The client's first message has come. Only now is there an endpoint for it: none for a client
     * that never comes, and never two that connect to each other at the same time.
     */
    private void connect() {
        if (closed || link != null) {
            return;
        }
        if (isLocal(client.address())) {
            worker.heard();
        }
        try {
            link = new Link(worker.thread(), join.address(), seal, this::linkBroke);
        } catch (final UcxException e) {
            drop("ucx: " + UcxLibrary.noWay(e));
            return;
        }
        answers =
                new PathAnswers(
                        server,
                        worker.thread(),
                        client.jobId(),
                        client.name(),
                        client.prefetch(),
                        link,
                        seal,
                        envelope,
                        this::active,
                        this::drop);
        pong();
    }

    // ---- the end -------------------------------------------------------------------------------

    /** Any thread. */
    @Override
    public void clientLeft() {
        worker.thread().tryExecute(() -> guard(this::leave));
    }

    private void leave() {
        if (link != null) {
            link.peerLeft();
        } else if (!closed && isLocalAndMute()) {
            worker.neverHeard();
        }
        close();
    }

    /**
     * Whatever the thread of UCX does for this connection runs in this: it would log what is
     * thrown, and go on while the client waits.
     */
    void guard(final Runnable task) {
        try {
            task.run();
        } catch (final RuntimeException | Error e) {
            LOG.debug("Serving {} failed", client.name(), e);
            drop("ucx: " + e);
        }
    }

    private boolean isLocalAndMute() {
        return idleMillis(System.nanoTime()) >= TO_BE_HEARD_MILLIS && isLocal(client.address());
    }

    /** Whether it is an address of this host, or of this network namespace. */
    private static boolean isLocal(final InetAddress address) {
        if (address.isLoopbackAddress()) {
            return true;
        }
        try {
            return NetworkInterface.getByInetAddress(address) != null;
        } catch (final SocketException e) {
            return false;
        }
    }

    void close() {
        if (closed) {
            return;
        }
        closed = true;
        worker.forget(this);
        try {
            if (answers != null) {
                answers.close();
            }
        } finally {
            if (link != null) {
                link.close();
            }
        }
    }

    /** Ends this connection, and nothing else, with one line in the log. */
    private void drop(final String reason) {
        if (closed) {
            return;
        }
        try {
            client.drop(reason);
        } finally {
            close();
        }
    }

    /** As a client's end does in the end; the client's log tells more. */
    private void linkBroke(final int status, final String message) {
        LOG.debug("The path to {} broke: status={} {}", client.name(), status, message);
        client.close();
        close();
    }

    // ---- time ----------------------------------------------------------------------------------

    /**
     * Whether it is there its tcp connection knows; here, whether it takes what it has asked for.
     */
    void watch(final long now) {
        guard(() -> watchAnswers(now));
    }

    private void watchAnswers(final long now) {
        if (answers != null) {
            answers.check();
        }
        final long idle = idleMillis(now);
        if (answers != null && answers.isBusy() && idle >= server.idleTimeoutMillis()) {
            link.peerLeft();
            drop("ucx: it has taken nothing for " + idle + " ms");
        }
    }

    private long idleMillis(final long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - lastActivityNanos);
    }

    private void active() {
        lastActivityNanos = System.nanoTime();
    }

    // ---- frames --------------------------------------------------------------------------------

    /** A message; {@code in} is behind the envelope. From within UCX. */
    void onMessage(final ByteBuffer in, final long bytesAfter) {
        if (closed) {
            return;
        }
        try {
            if (bytesAfter != 0) {
                throw new MalformedFrameException(
                        "bytes after a client's frame=" + bytesAfter + ", expected 0");
            }
            final ByteBuffer frame = seal.open(in, 0).header();
            onFrame(MessageFrames.typeOf(frame, client.version()), frame);
        } catch (final MalformedFrameException e) {
            // A callback of UCX must not close an endpoint.
            worker.thread().defer(() -> drop(e.getMessage()));
        } catch (final RuntimeException | Error e) {
            worker.thread().defer(() -> guard(() -> drop("ucx: " + e)));
        }
    }

    private void onFrame(final FrameType type, final ByteBuffer body)
            throws MalformedFrameException {
        if (link == null && type == FrameType.PING) {
            worker.thread().defer(() -> guard(this::connect));
        } else if (link == null) {
            throw new MalformedFrameException(type + " frame: not expected before PING over ucx");
        } else if (type == FrameType.FETCH) {
            if (!answers.isBusy()) {
                active();
            }
            answers.add(FetchFrame.decode(body));
        } else if (type == FrameType.PING) {
            pong();
        } else {
            throw new MalformedFrameException(type + " frame: not expected over ucx");
        }
    }

    /**
     * At most one waits to go out, so that a client that takes nothing cannot make us queue more.
     */
    private void pong() {
        if (heartbeatQueued) {
            return;
        }
        heartbeatQueued = true;
        link.send(envelope, FrameType.PONG, wentOut -> heartbeatQueued = false);
    }
}
