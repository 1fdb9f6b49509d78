// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.Monitor;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.transport.mpi.library.MpiKeys;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Starts two processes for each transport, and has them measure in turns, so that what else the
 * host does troubles all ways alike. Used by one thread.
 */
public final class NetBenchmark implements AutoCloseable {
    private static final String LOOPBACK = "127.0.0.1";
    private static final int SECRET_BYTES = 16;
    private static final String HEAP = "-Xmx512m";
    private static final String COLLECTOR = "-XX:+UseSerialGC";
    private static final long OTHER_MEMORY = 512L << 20;

    /** Of a store that nothing is put into. */
    private static final long LITTLE = 1 << 20;

    /** What is measured before a way's code is compiled says more of the compiler. */
    private static final int WARM_UP = 2;

    private final List<String> classPath;
    private final Path logs;
    private final NetPlan plan;
    private final Path world;
    private final String secret;
    private final Optional<String> nodeElsewhere;
    private final List<NetRow> rows = new ArrayList<>();
    private final List<String> notes = new ArrayList<>();

    /**
     * Prepares a benchmark.
     *
     * @param classPath of all processes: Hadoop's jars and Spillway's
     * @param logs where what they say on standard error goes
     * @param nodeElsewhere the address of a node that {@link #serve} has started on another host
     * @param secret of that node, in hexadecimal digits
     */
    public NetBenchmark(
            final List<String> classPath,
            final Path logs,
            final NetPlan plan,
            final Optional<String> nodeElsewhere,
            final String secret) {
        this.classPath = List.copyOf(classPath);
        this.logs = logs;
        this.plan = plan;
        this.nodeElsewhere = nodeElsewhere;
        this.secret = secret;
        try {
            Files.createDirectories(logs);
            this.world = Files.createTempDirectory("spillway-net");
        } catch (final IOException e) {
            throw new CommandException("cannot make a folder: " + e, e);
        }
    }

    /** A new secret, in hexadecimal digits. */
    public static String newSecret() {
        final byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    /** Measures what the plan says. A transport that cannot be measured is a note of the result. */
    public NetResult run(final Monitor monitor) {
        if (plan.puts()) {
            puts(monitor);
        } else {
            fetches(monitor);
        }
        if (rows.isEmpty()) {
            throw new CommandException("nothing was measured: " + String.join("; ", notes));
        }
        return new NetResult(plan, rows, notes);
    }

    private void fetches(final Monitor monitor) {
        final List<Way> ways = new ArrayList<>();
        try {
            for (final String transport : plan.transports()) {
                attempt(transport, () -> ways.add(connect(transport)));
            }
            final long nanos = TimeUnit.MILLISECONDS.toNanos(plan.millis());
            round(ways, 0, WARM_UP * nanos, Monitor.NONE);
            rows.clear();
            for (int repeat = 1; repeat <= plan.repeats(); repeat++) {
                round(ways, repeat, nanos, monitor);
            }
        } finally {
            ways.forEach(Way::close);
        }
    }

    private void round(
            final List<Way> ways, final int repeat, final long nanos, final Monitor monitor) {
        final int cells = plan.windows().size() * plan.sizes().size();
        try (Monitor.Task task = monitor.begin("Round " + repeat, cells)) {
            int done = 0;
            for (final int window : plan.windows()) {
                for (final long bytes : plan.sizes()) {
                    for (final Way way : List.copyOf(ways)) {
                        fetch(ways, way, bytes, window, repeat, nanos);
                    }
                    task.at(++done, bytes + " bytes");
                }
            }
            task.done("");
        }
    }

    private void fetch(
            final List<Way> ways,
            final Way way,
            final long bytes,
            final int window,
            final int repeat,
            final long nanos) {
        final Step step =
                () ->
                        add(
                                way.transport(),
                                NetRow.What.FETCH,
                                bytes,
                                window,
                                repeat,
                                way.fetch(bytes, window, nanos));
        if (!attempt(way.transport(), step)) {
            ways.remove(way);
            way.close();
        }
    }

    private void add(
            final String way,
            final NetRow.What what,
            final long bytes,
            final int window,
            final int repeat,
            final Sample sample) {
        rows.add(new NetRow(way, what, bytes, window, repeat, sample));
    }

    /** Each time between two young processes, which then grow old. */
    private void puts(final Monitor monitor) {
        for (int repeat = 1; repeat <= plan.repeats(); repeat++) {
            try (Monitor.Task task = monitor.begin("Round " + repeat, plan.sizes().size())) {
                int done = 0;
                for (final long piece : plan.sizes()) {
                    for (final String transport : plan.transports()) {
                        final int round = repeat;
                        attempt(transport, () -> put(transport, piece, round));
                    }
                    task.at(++done, piece + " bytes");
                }
                task.done("");
            }
        }
    }

    private void put(final String transport, final long piece, final int repeat)
            throws IOException, InterruptedException {
        final long first = plan.putBytes();
        try (Way way = connect(transport)) {
            add(transport, NetRow.What.YOUNG_PUT, piece, 0, repeat, way.put(piece, first, first));
            way.put(piece, 2 * first, first);
            add(
                    transport,
                    NetRow.What.STEADY_PUT,
                    piece,
                    0,
                    repeat,
                    way.put(piece, 4 * first, first));
        }
    }

    // ---- processes -----------------------------------------------------------------------------

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    /** Whether a step of a way was done; its reason is a note where it was not. */
    private boolean attempt(final String way, final Step step) {
        try {
            step.run();
            return true;
        } catch (final IOException e) {
            final String note = way + ": " + e.getMessage();
            if (!notes.contains(note)) {
                notes.add(note);
            }
            return false;
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    private Way connect(final String transport) throws IOException {
        if (nodeElsewhere.isPresent()) {
            return new Way(
                    transport,
                    null,
                    client(transport, nodeElsewhere.get(), NetClient.NONE, NetClient.NONE));
        }
        final NetProcess node = node(transport, LOOPBACK, 0);
        try {
            final Map<String, String> addresses = new HashMap<>();
            while (addresses.size() < ranks(transport)) {
                final String[] ready = node.await(NetNode.READY).split(" ", 2);
                addresses.put(ready[0], ready[1]);
            }
            final boolean isMpi = transport.equals(NetPlan.MPI);
            return new Way(
                    transport,
                    node,
                    client(
                            transport,
                            addresses.get("0"),
                            isMpi ? addresses.get("1") : NetClient.NONE,
                            isMpi ? NetNode.socket(world, 1) : NetClient.NONE));
        } catch (final IOException | RuntimeException e) {
            node.close();
            throw e;
        }
    }

    /** Over MPI the client comes to the rank of its host, which asks the one that serves. */
    private static int ranks(final String transport) {
        return transport.equals(NetPlan.MPI) ? 2 : 1;
    }

    private NetProcess node(final String transport, final String host, final int port)
            throws IOException {
        // What is kept about pieces takes some of a store, too.
        final long capacity = plan.puts() ? plan.putBytes() + plan.putBytes() / 2 : LITTLE;
        final boolean isMpi = transport.equals(NetPlan.MPI);
        final List<String> command =
                NetProcess.java(
                        List.of(
                                HEAP,
                                COLLECTOR,
                                "-XX:MaxDirectMemorySize=" + (capacity + OTHER_MEMORY)),
                        classPath,
                        NetNode.class,
                        NetNode.arguments(
                                transport,
                                host,
                                port,
                                capacity,
                                world,
                                isMpi ? mpiSettings() : plan.settings()));
        return new NetProcess(
                "the node of " + transport,
                isMpi ? mpirun().ranks(ranks(transport), command) : new ProcessBuilder(command),
                secret,
                logs.resolve("node-" + transport + ".log"));
    }

    private NetProcess client(
            final String transport, final String node, final String proxy, final String socket) {
        return new NetProcess(
                "the client of " + transport,
                new ProcessBuilder(
                        NetProcess.java(
                                List.of(HEAP, COLLECTOR),
                                classPath,
                                NetClient.class,
                                NetClient.arguments(transport, node, proxy, socket, plan))),
                secret,
                logs.resolve("client-" + transport + ".log"));
    }

    private Mpirun mpirun() throws IOException {
        return Mpirun.find(plan.mpirun(), System.getenv("PATH"));
    }

    private Map<String, String> mpiSettings() throws IOException {
        final Map<String, String> settings = new HashMap<>(plan.settings());
        settings.putIfAbsent(MpiKeys.MPI_COMPILER.name(), mpirun().compiler());
        return settings;
    }

    /**
     * Serves the first transport of the plan to another host until it is interrupted.
     *
     * @param host address of this host
     * @param port 0 for any free one
     * @param ready takes the address
     */
    public void serve(final String host, final int port, final Consumer<String> ready) {
        final String transport = plan.transports().get(0);
        attempt(
                transport,
                () -> {
                    try (NetProcess node = node(transport, host, port)) {
                        ready.accept(node.await(NetNode.READY).split(" ", 2)[1]);
                        node.join();
                    }
                });
        throw new CommandException("the node has ended " + notes);
    }

    @Override
    public void close() {
        try {
            WorkFolder.deleteTree(world);
        } catch (final IOException e) {
            throw new CommandException("cannot delete " + world + ": " + e, e);
        }
    }
}
