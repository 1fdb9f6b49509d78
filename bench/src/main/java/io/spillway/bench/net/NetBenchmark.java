package io.spillway.bench.net;

import io.spillway.bench.BadInputException;
import io.spillway.bench.BenchException;
import io.spillway.bench.mpi.Mpirun;
import io.spillway.bench.net.mpi.IdleWorld;
import io.spillway.bench.net.mpi.RankWorld;
import io.spillway.bench.run.Monitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.function.IntConsumer;
import java.util.regex.Pattern;

/** Starts the two processes of the network benchmark, and gathers what they find. */
public final class NetBenchmark {
    /** Where the two processes are, where both are on this host. */
    private static final String LOOPBACK = "127.0.0.1";

    static final List<String> JVM = List.of("-Xmx512m", "-XX:+UseSerialGC");

    private static final int SECRET_BYTES = 16;
    private static final int LEAST_DATA = 64 << 10;

    private final List<String> classPath;
    private final Path logs;
    private final Data data;

    /**
     * What is sent.
     *
     * @param bytes that are fetched again and again, a multiple of 8
     * @param fromMemory whether they are served from memory, else from a file
     * @param mpirun the launcher of MPI, as {@code Mpirun.find} takes it
     * @param properties settings of the transports
     */
    public record Data(
            long bytes, boolean fromMemory, String mpirun, Map<String, String> properties) {
        private static final long MOST = 1L << 30;

        /** Checks every value. */
        public Data {
            properties = Map.copyOf(properties);
            if (bytes < LEAST_DATA || bytes > MOST || bytes % Long.BYTES != 0) {
                throw new BadInputException(
                        "--data " + bytes + ": expected a multiple of 8, 64k to 1g");
            }
        }

        NetOptions at(final String host, final int port) {
            return new NetOptions(host, port, (int) bytes, fromMemory, mpirun, properties);
        }
    }

    /**
     * Where a serving process is, and what it takes for a proof.
     *
     * @param host name or address
     * @param port of its control connection; 0 for any free one
     * @param secret in hexadecimal digits
     */
    public record Endpoint(String host, int port, String secret) {
        private static final int MOST_PORT = 65_535;
        private static final Pattern SECRET = Pattern.compile("([0-9a-fA-F]{2}){16,64}");

        /** Checks the secret. */
        public Endpoint {
            if (!SECRET.matcher(secret).matches()) {
                throw new BadInputException(
                        "--secret: expected 16 to 64 bytes as hexadecimal digits, as --serve"
                                + " prints them");
            }
        }

        /** The endpoint of {@code HOST:PORT} and a secret in hexadecimal digits. */
        public static Endpoint parse(final String option, final String address, final String hex) {
            final int colon = address.lastIndexOf(':');
            try {
                final int port = Integer.parseInt(address.substring(colon + 1));
                if (colon > 0 && port >= 0 && port <= MOST_PORT) {
                    return new Endpoint(address.substring(0, colon), port, hex);
                }
            } catch (final NumberFormatException e) {
                throw new BadInputException(wrong(option, address));
            }
            throw new BadInputException(wrong(option, address));
        }

        private static String wrong(final String option, final String address) {
            return option + " " + address + ": expected HOST:PORT";
        }
    }

    /**
     * Prepares a benchmark.
     *
     * @param classPath of both processes: Hadoop's jars and Spillway's
     * @param logs where what they say on standard error goes
     */
    public NetBenchmark(final List<String> classPath, final Path logs, final Data data) {
        this.classPath = List.copyOf(classPath);
        this.logs = logs;
        this.data = data;
        try {
            Files.createDirectories(logs);
        } catch (final IOException e) {
            throw new BenchException("cannot make " + logs + ": " + e, e);
        }
    }

    /** A new secret, in hexadecimal digits. */
    public static String newSecret() {
        final byte[] secret = new byte[SECRET_BYTES];
        new SecureRandom().nextBytes(secret);
        return HexFormat.of().formatHex(secret);
    }

    /** Measures between two processes of this host. */
    public NetResult run(final NetPlan plan, final Monitor monitor) {
        final Endpoint any = Endpoint.parse("", LOOPBACK + ":0", newSecret());
        try (NetProcess server = startServer(any)) {
            final int port = Integer.parseInt(server.await(NetServerMain.READY));
            return run(plan, new Endpoint(LOOPBACK, port, any.secret()), monitor);
        }
    }

    /** Measures between this host and one where {@link #serve} runs. */
    public NetResult run(final NetPlan plan, final Endpoint server, final Monitor monitor) {
        final List<String> arguments = new ArrayList<>(plan.arguments());
        arguments.addAll(data.at(server.host(), server.port()).arguments());
        final List<NetRow> rows = new ArrayList<>();
        final List<String> notes = new ArrayList<>();
        try (NetProcess client =
                        new NetProcess(
                                "measuring process",
                                JVM,
                                classPath,
                                NetClientMain.class,
                                arguments,
                                server.secret(),
                                logs.resolve("client.log"));
                Monitor.Task task = monitor.begin("Network", plan.samples())) {
            client.forEachLine(
                    line -> {
                        take(line, rows, notes);
                        task.at(rows.size(), last(rows));
                    });
            if (client.join() != 0 || rows.isEmpty()) {
                throw client.failure("failed: " + String.join("; ", notes));
            }
            task.done("");
        }
        return new NetResult(plan, rows, notes, data.fromMemory(), data.bytes());
    }

    private static String last(final List<NetRow> rows) {
        return rows.isEmpty() ? "" : rows.get(rows.size() - 1).way().label();
    }

    private static void take(final String line, final List<NetRow> rows, final List<String> notes) {
        if (line.startsWith(NetClientMain.ROW)) {
            rows.add(NetRow.parse(line.substring(NetClientMain.ROW.length()), "\t"));
        } else if (line.startsWith(NetClientMain.NOTE)) {
            notes.add(line.substring(NetClientMain.NOTE.length()));
        }
    }

    /** Starts a world of ranks that have nothing to do, and measures their CPU for so long. */
    public IdleWorld idle(final int seconds) {
        final List<String> jvm = new ArrayList<>(JVM);
        jvm.addAll(List.of("-cp", String.join(":", classPath)));
        try {
            final Mpirun mpirun = Mpirun.find(data.mpirun(), System.getenv("PATH"));
            try (RankWorld world =
                    RankWorld.start(
                            mpirun,
                            IdleWorld.RANKS,
                            NetRankMain.class,
                            jvm,
                            data.at(LOOPBACK, 0).withCompiler(mpirun.compiler()).arguments(),
                            Map.of(NetProcess.SECRET_VARIABLE, newSecret()))) {
                return IdleWorld.of(world, seconds);
            }
        } catch (final IOException e) {
            throw new BenchException("mpi: " + e.getMessage(), e);
        }
    }

    private NetProcess startServer(final Endpoint at) {
        return new NetProcess(
                "serving process",
                JVM,
                classPath,
                NetServerMain.class,
                data.at(at.host(), at.port()).arguments(),
                at.secret(),
                logs.resolve("server.log"));
    }

    /**
     * Serves until it is interrupted.
     *
     * @param at where; port 0 for any free one
     * @param ready takes the port
     */
    public void serve(final Endpoint at, final IntConsumer ready) {
        try (NetProcess server = startServer(at)) {
            ready.accept(Integer.parseInt(server.await(NetServerMain.READY)));
            server.join();
        }
    }
}
