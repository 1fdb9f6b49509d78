// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx.server;

import io.spillway.bootstrap.OtherPath;
import io.spillway.frame.MalformedFrameException;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.ucx.worker.Envelope;
import io.spillway.transport.ucx.worker.Link;
import io.spillway.transport.ucx.worker.UcxSettings;
import io.spillway.transport.ucx.worker.UcxThread;
import io.spillway.wire.EndpointFrame;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.openucx.jucx.UcxUtils;
import org.openucx.jucx.ucp.UcpAmData;
import org.openucx.jucx.ucp.UcpEndpoint;
import org.openucx.jucx.ucs.UcsConstants;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A worker of the server, and the connections over it. Used by its thread of UCX, but what says
 * otherwise.
 *
 * <p>All processes of a host write into one queue of the worker in shared memory. One that is
 * killed while it writes an entry leaves a hole that UCX waits at for ever: the worker then hears
 * no process of this host any more, and has to be replaced.
 */
final class ServerWorker {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWorker.class);

    /** So many clients of this host, one after the other, have joined in vain. */
    private static final int DEAF = 3;

    private final UcxSegmentServer server;
    private final UcxThread thread;
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, ServerPath> connections = new HashMap<>();
    private int joinedInVain;
    private boolean retired;
    private volatile boolean ended;

    /** Any thread. */
    ServerWorker(
            final UcxSegmentServer server, final UcxSettings settings, final DirectMemory memory)
            throws IOException {
        this.server = server;
        this.thread = new UcxThread("spillway-ucx-node", settings, memory);
        thread.worker().setAmRecvHandler(Link.MESSAGE, this::onMessage);
        thread.addWatcher(this::watch);
    }

    // ---- any thread ----------------------------------------------------------------------------

    void start() {
        thread.start(this::stop, () -> ended = true);
    }

    /** Ends one that was never started. */
    void discard() {
        thread.discard();
    }

    /** Takes in a client. */
    OtherPath.Session open(final OtherPath.Client client, final EndpointFrame join) {
        final ServerPath connection = new ServerPath(server, this, client, join);
        if (!thread.tryExecute(() -> connection.guard(() -> connection.open(newId())))) {
            client.drop("the node stops");
        }
        return connection;
    }

    UcxThread thread() {
        return thread;
    }

    /** Ends it when its last connection has. */
    void retire() {
        thread.tryExecute(() -> retired = true);
    }

    /** Whether it was retired, and that is over. */
    boolean isEnded() {
        return ended;
    }

    /** Ends it now. */
    void close() {
        thread.close();
    }

    // ---- the thread of UCX ---------------------------------------------------------------------

    private long newId() {
        long id = random.nextLong();
        while (connections.containsKey(id)) {
            id = random.nextLong();
        }
        return id;
    }

    void opened(final ServerPath connection) {
        connections.put(connection.id(), connection);
    }

    void forget(final ServerPath connection) {
        connections.remove(connection.id());
    }

    /** A client of this host is heard. */
    void heard() {
        joinedInVain = 0;
    }

    /** A client of this host has left, and was never heard. */
    void neverHeard() {
        joinedInVain++;
        if (joinedInVain == DEAF) {
            joinedInVain = 0;
            server.readers().execute(() -> server.replace(this));
        }
    }

    private void watch() {
        final long now = System.nanoTime();
        for (final ServerPath connection : List.copyOf(connections.values())) {
            connection.watch(now);
        }
        if (retired && connections.isEmpty()) {
            thread.close();
        }
    }

    private void stop() {
        List.copyOf(connections.values())
                .forEach(connection -> connection.guard(connection::close));
    }

    /** From within UCX: nothing may be thrown. */
    private int onMessage(
            final long headerAddress,
            final long headerLength,
            final UcpAmData data,
            final UcpEndpoint unused) {
        try {
            final ByteBuffer in = UcxUtils.getByteBufferView(headerAddress, headerLength);
            dispatch(Envelope.receiverOf(in), in, data.getLength());
        } catch (final MalformedFrameException e) {
            server.warnings()
                    .warn("Dropping a message of a client that cannot be told: " + e.getMessage());
        } catch (final RuntimeException | Error e) {
            LOG.error("Taking a message failed", e);
        }
        return UcsConstants.STATUS.UCS_OK;
    }

    private void dispatch(final long receiver, final ByteBuffer in, final long bytesAfter) {
        final ServerPath connection = connections.get(receiver);
        if (connection == null) {
            LOG.debug("A message for a connection that has ended");
        } else {
            connection.onMessage(in, bytesAfter);
        }
    }
}
