// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi.proxy;

import io.spillway.host.OwnUser;
import io.spillway.protocol.LogLimiter;
import io.spillway.transport.mpi.world.RankLoop;
import io.spillway.transport.mpi.world.World;
import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes in the tasks of this host. Used by the rank's thread, but what says otherwise. */
public final class TaskDoor implements RankLoop.Ready, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TaskDoor.class);

    private final World world;
    private final ServerSocketChannel listener;
    private final Path path;
    private final int taskBytes;
    private final int maxTasks;
    private final LogLimiter warnings = new LogLimiter(LOG);
    private final Set<TaskSession> sessions = new HashSet<>();

    private TaskDoor(
            final World world,
            final ServerSocketChannel listener,
            final Path path,
            final int taskBytes,
            final int maxTasks) {
        this.world = world;
        this.listener = listener;
        this.path = path;
        this.taskBytes = taskBytes;
        this.maxTasks = maxTasks;
    }

    /**
     * Serves tasks at a socket. Any thread.
     *
     * @param listener bound to {@code path}; belongs to this object from here on
     * @param taskBytes memory shared with each task
     * @param maxTasks the most tasks at a time
     */
    public static TaskDoor open(
            final World world,
            final ServerSocketChannel listener,
            final Path path,
            final int taskBytes,
            final int maxTasks)
            throws IOException {
        listener.configureBlocking(false);
        final TaskDoor door = new TaskDoor(world, listener, path, taskBytes, maxTasks);
        world.loop()
                .submit(
                        () ->
                                listener.register(
                                        world.loop().selector(), SelectionKey.OP_ACCEPT, door))
                .syncUninterruptibly();
        return door;
    }

    @Override
    public void ready(final SelectionKey key) {
        try {
            final SocketChannel socket = listener.accept();
            if (socket != null) {
                admit(socket);
            }
        } catch (final IOException e) {
            warnings.warn("Cannot take in a task: " + e);
        }
    }

    private void admit(final SocketChannel socket) throws IOException {
        try {
            OwnUser.requirePeer(socket);
            socket.configureBlocking(false);
            final TaskSession session = new TaskSession(this, world, socket);
            session.begin(sessions.size() < maxTasks);
            sessions.add(session);
        } catch (final IOException | RuntimeException | Error e) {
            socket.close();
            throw e;
        }
    }

    int taskBytes() {
        return taskBytes;
    }

    LogLimiter warnings() {
        return warnings;
    }

    void forget(final TaskSession session) {
        sessions.remove(session);
    }

    /** How many tasks are connected. */
    public int tasks() {
        return sessions.size();
    }

    /** Ends all links, and takes the socket away. Any thread but the rank's. */
    @Override
    public void close() throws IOException {
        world.loop().submit(this::end).awaitUninterruptibly();
        Files.deleteIfExists(path);
    }

    private void end() {
        Set.copyOf(sessions).forEach(session -> session.end("the rank ends"));
        try {
            listener.close();
        } catch (final IOException e) {
            LOG.debug("{} was not closed", path, e);
        }
    }
}
