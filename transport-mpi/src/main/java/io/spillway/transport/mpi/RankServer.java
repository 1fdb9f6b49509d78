// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.host.UserSocket;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.mpi.library.MpiKeys;
import io.spillway.transport.mpi.library.MpiSettings;
import io.spillway.transport.mpi.proxy.TaskDoor;
import io.spillway.transport.mpi.world.World;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.serve.UnavailableException;
import java.io.IOException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This process as a rank: it serves other ranks, and the tasks of its host. Thread-safe. */
final class RankServer extends MpiSegmentServer {
    private static final Logger LOG = LoggerFactory.getLogger(RankServer.class);

    private final World world;
    private TaskDoor door;

    private RankServer(final World world, final StreamServer streams) {
        super(world, 0, streams, DirectMemory.SYSTEM);
        this.world = world;
    }

    /**
     * Joins the world that this process was started in. The socket comes last: nothing that can
     * fail after it leaves its file behind.
     *
     * @throws IOException that says what to change
     */
    static RankServer start(
            final SegmentSource source,
            final JobSecrets secrets,
            final Function<String, String> settings,
            final long epoch)
            throws IOException {
        final World world = startWorld(settings);
        RankServer server = null;
        try {
            final ServerSettings limits = ServerSettings.from(settings);
            server = new RankServer(world, new StreamsOfMessages(source, secrets, limits, epoch));
            server.door = openDoor(world, settings);
            return server;
        } catch (final IOException | RuntimeException | Error e) {
            if (server != null) {
                server.stopServing();
            }
            world.close();
            throw e;
        }
    }

    private static World startWorld(final Function<String, String> settings)
            throws UnavailableException {
        try {
            return World.start(MpiSettings.from(settings), DirectMemory.SYSTEM);
        } catch (final IOException e) {
            throw new UnavailableException(e.getMessage(), e);
        }
    }

    /** The node process holds the lock of its socket: what is left at the path is of a dead one. */
    static TaskDoor openDoor(final World world, final Function<String, String> settings)
            throws IOException {
        final Path path = RankSocket.of(settings);
        UserSocket.preparePrivateFolder(path.toAbsolutePath().getParent());
        Files.deleteIfExists(path);
        final ServerSocketChannel listener = UserSocket.bind(path);
        return TaskDoor.open(
                world,
                listener,
                path,
                Math.toIntExact(MpiKeys.MPI_TASK_BYTES.get(settings)),
                MpiKeys.MPI_TASKS.get(settings));
    }

    @Override
    public void close() {
        try {
            door.close();
        } catch (final IOException e) {
            LOG.warn("The socket of the rank stays: {}", e.getMessage());
        }
        stopServing();
        world.close();
    }

    private void stopServing() {
        super.close();
    }
}
