// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.host.OwnUser;
import io.spillway.host.UserSocket;
import io.spillway.node.control.ControlChannel;
import io.spillway.node.control.ControlFrameType;
import io.spillway.node.control.NodeRefusal;
import io.spillway.node.control.NodeWelcome;
import io.spillway.node.control.StatusSource;
import io.spillway.protocol.LogLimiter;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Accepts control connections of processes of the same user, and gives each a thread: they are few,
 * one a NodeManager and one a question. Thread-safe.
 */
final class ControlServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ControlServer.class);
    private static final int MAX_SESSIONS = 256;
    private static final long REFUSE_MILLIS = 100;
    private static final long ACCEPT_PAUSE_MILLIS = 100;

    private final Path path;
    private final ServerSocketChannel listener;
    private final NodeManagers managers;
    private final NodeWelcome welcome;
    private final StatusSource status;
    private final Drain drain;
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final Set<ControlSession> sessions = ConcurrentHashMap.newKeySet();
    private final ThreadFactory threads = DaemonThreads.numbered("spillway-control");
    private final Thread acceptor = DaemonThreads.of("spillway-control", this::accept);

    private ControlServer(
            final Path path,
            final ServerSocketChannel listener,
            final NodeManagers managers,
            final NodeWelcome welcome,
            final StatusSource status,
            final Drain drain) {
        this.path = path;
        this.listener = listener;
        this.managers = managers;
        this.welcome = welcome;
        this.status = status;
        this.drain = drain;
    }

    /**
     * Listens; the caller holds the lock, so that a socket that exists belongs to a dead process.
     *
     * @param status makes the answers to STATUS and CLUSTER
     * @param drain that DRAIN starts and DRAIN_CANCEL ends
     */
    static ControlServer start(
            final Path path,
            final NodeManagers managers,
            final NodeWelcome welcome,
            final StatusSource status,
            final Drain drain)
            throws IOException {
        Files.deleteIfExists(path);
        final ControlServer server =
                new ControlServer(path, UserSocket.bind(path), managers, welcome, status, drain);
        server.acceptor.start();
        return server;
    }

    private void accept() {
        while (listener.isOpen()) {
            try {
                admit(listener.accept());
            } catch (final ClosedChannelException e) {
                LOG.debug("The control socket is closed", e);
                return;
            } catch (final IOException | RuntimeException e) {
                warnings.warn("Cannot accept a control connection: " + e);
                pause();
            }
        }
    }

    /** Out of file descriptors, for one: they come back. */
    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(ACCEPT_PAUSE_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void admit(final SocketChannel socket) throws IOException {
        try {
            OwnUser.requirePeer(socket);
        } catch (final IOException e) {
            warnings.warn("Refusing a control connection: " + e.getMessage());
            socket.close();
            return;
        }
        final ControlChannel channel = ControlChannel.of(socket, ControlFrameType.VERSIONS);
        if (sessions.size() >= MAX_SESSIONS) {
            refuse(channel);
            return;
        }
        final ControlSession session =
                new ControlSession(channel, managers, welcome, status, drain, warnings::warn);
        sessions.add(session);
        threads.newThread(() -> serve(session)).start();
    }

    private void refuse(final ControlChannel channel) throws IOException {
        try (channel) {
            final String reason = "connections=" + MAX_SESSIONS + ", no more are served";
            warnings.warn("Refusing a control connection: " + reason);
            channel.send(new NodeRefusal(reason).encode(), REFUSE_MILLIS);
        }
    }

    private void serve(final ControlSession session) {
        try (session) {
            session.serve();
        } finally {
            sessions.remove(session);
        }
    }

    /** Ends every session, and takes the socket away. */
    @Override
    public void close() throws IOException {
        listener.close();
        sessions.forEach(ControlSession::close);
        Files.deleteIfExists(path);
    }
}
