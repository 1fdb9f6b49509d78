// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.mpi;

import io.spillway.transport.DirectMemory;
import io.spillway.transport.mpi.library.MpiSettings;
import io.spillway.transport.mpi.proxy.TaskDoor;
import io.spillway.transport.mpi.world.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

/** The world of a test process: MPI begins once, so that all tests of the process share it. */
final class TestWorld {
    /** System property: the rank whose socket clients of this process come to. */
    static final String RANK_OF_TASKS = "test.mpi.rank";

    /** System property: where the ranks have their sockets. */
    static final String FOLDER = "test.mpi.folder";

    private static final AtomicInteger SERVICES = new AtomicInteger();
    private static TestWorld current;

    private final World world;
    private final TaskDoor door;

    private TestWorld(final World world, final TaskDoor door) {
        this.world = world;
        this.door = door;
    }

    static synchronized TestWorld get() {
        if (current == null) {
            try {
                current = start(System::getProperty);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        return current;
    }

    private static TestWorld start(final Function<String, String> settings) throws IOException {
        final World world = World.start(MpiSettings.from(settings), DirectMemory.SYSTEM);
        final Path socket = socketOf(world.rank());
        return new TestWorld(
                world,
                RankServer.openDoor(
                        world,
                        name ->
                                name.equals("spillway.mpi.socket")
                                        ? socket.toString()
                                        : settings.apply(name)));
    }

    private static Path socketOf(final int rank) {
        return Path.of(System.getProperty(FOLDER)).resolve("rank" + rank).resolve("mpi.sock");
    }

    World world() {
        return world;
    }

    /** The socket by which this process's clients come to MPI. */
    Path socketOfTasks() {
        return socketOf(Integer.getInteger(RANK_OF_TASKS, world.rank()));
    }

    int newService() {
        return SERVICES.getAndIncrement();
    }

    MpiTransport newTransport(final Map<String, String> settings, final DirectMemory memory) {
        return new MpiTransport(socketOfTasks(), settings::get, memory);
    }

    void close() throws IOException {
        door.close();
        world.close();
    }
}
