package io.spillway.bench.net.mpi;

import io.spillway.bench.mpi.Mpirun;
import io.spillway.bench.site.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A world of JVMs on this host, started by mpirun. Each says in a file that it is ready; all end
 * when rank 0's standard input ends, so also when this process does. Used by one thread.
 */
public final class RankWorld implements AutoCloseable {
    private static final String READY = "ready";
    private static final String DONE = "done";
    private static final String SOCKET = "mpi.sock";
    private static final String LOG = "world.log";
    private static final int LOG_LINES = 6;
    private static final long LOOK_MILLIS = 20;
    private static final Duration START_PATIENCE = Duration.ofSeconds(90);

    /** Less than the benchmark gives its serving process to end. */
    private static final long END_SECONDS = 4;

    private final Process launcher;
    private final Path folder;
    private final List<Rank> ranks = new ArrayList<>();

    private record Rank(ProcessHandle process, String address) {}

    private RankWorld(final Process launcher, final Path folder) {
        this.launcher = launcher;
        this.folder = folder;
    }

    /**
     * Starts the ranks, and waits until they are ready.
     *
     * @param main class of them; its first argument is the folder of the world
     * @param jvm options and class path of them
     * @param arguments that follow the folder
     * @param environment added to that of this process
     * @throws IOException with what they have printed, if they have ended
     */
    public static RankWorld start(
            final Mpirun mpirun,
            final int size,
            final Class<?> main,
            final List<String> jvm,
            final List<String> arguments,
            final Map<String, String> environment)
            throws IOException {
        final Path folder = Files.createTempDirectory("spillway-world");
        final List<String> rank = new ArrayList<>(List.of(JavaCommand.path()));
        rank.addAll(jvm);
        rank.addAll(List.of(main.getName(), folder.toString()));
        rank.addAll(arguments);
        final ProcessBuilder builder =
                mpirun.ranks(size, rank)
                        .redirectErrorStream(true)
                        .redirectOutput(folder.resolve(LOG).toFile());
        builder.environment().putAll(environment);
        final RankWorld world = new RankWorld(builder.start(), folder);
        try {
            world.await(size);
            return world;
        } catch (final IOException | RuntimeException e) {
            world.close();
            throw e;
        }
    }

    private void await(final int size) throws IOException {
        final long deadline = System.nanoTime() + START_PATIENCE.toNanos();
        while (ranks.size() < size) {
            final Path ready = folderOf(folder, ranks.size()).resolve(READY);
            if (Files.exists(ready)) {
                final String[] said = Files.readString(ready).split(" ", 2);
                ranks.add(
                        new Rank(
                                ProcessHandle.of(Long.parseLong(said[0]))
                                        .orElseThrow(() -> new IOException("a rank has ended")),
                                said[1]));
            } else if (!launcher.isAlive()) {
                throw new IOException("the ranks have ended: " + log());
            } else if (System.nanoTime() - deadline > 0) {
                throw new IOException("the ranks are not ready after " + START_PATIENCE);
            } else {
                pause();
            }
        }
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(LOOK_MILLIS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    private String log() throws IOException {
        try (Stream<String> lines = Files.lines(folder.resolve(LOG))) {
            return lines.filter(line -> !line.isBlank() && !line.startsWith("---"))
                    .limit(LOG_LINES)
                    .map(String::strip)
                    .collect(Collectors.joining("; "));
        }
    }

    /** Where a rank's server is in the world. */
    public String address(final int rank) {
        return ranks.get(rank).address();
    }

    /** Where a rank's tasks come. */
    public Path socket(final int rank) {
        return socketOf(folder, rank);
    }

    /** CPU that a rank has taken, in nanoseconds. */
    public long cpuNanos(final int rank) throws IOException {
        return ranks.get(rank)
                .process()
                .info()
                .totalCpuDuration()
                .orElseThrow(() -> new IOException("rank " + rank + " has ended"))
                .toNanos();
    }

    // ---- a rank's side -------------------------------------------------------------------------

    /** A rank's own folder in that of the world. */
    public static Path folderOf(final Path world, final int rank) {
        return world.resolve("rank" + rank);
    }

    /** Where a rank has to listen. */
    public static Path socketOf(final Path world, final int rank) {
        return folderOf(world, rank).resolve(SOCKET);
    }

    /** Says that this process is a rank that is ready. */
    public static void ready(final Path world, final int rank, final String address)
            throws IOException {
        final Path own = folderOf(world, rank);
        final Path text = own.resolve(READY + ".new");
        Files.writeString(text, ProcessHandle.current().pid() + " " + address);
        Files.move(text, own.resolve(READY), StandardCopyOption.ATOMIC_MOVE);
    }

    /** Ends the world; for rank 0. */
    public static void end(final Path world) throws IOException {
        Files.createFile(world.resolve(DONE));
    }

    /** Whether the world is to end. */
    public static boolean isEnded(final Path world) {
        return !Files.exists(world) || Files.exists(world.resolve(DONE));
    }

    @Override
    public void close() throws IOException {
        final List<ProcessHandle> all = launcher.descendants().toList();
        try {
            launcher.getOutputStream().close();
            launcher.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            launcher.destroyForcibly();
            all.forEach(ProcessHandle::destroyForcibly);
            delete();
        }
    }

    private void delete() throws IOException {
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder)) {
            paths = walk.sorted(Comparator.reverseOrder()).toList();
        }
        for (final Path path : paths) {
            Files.deleteIfExists(path);
        }
    }
}
