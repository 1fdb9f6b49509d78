package io.spillway.bench.net;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.bench.mpi.Mpirun;
import io.spillway.bench.net.data.BenchData;
import io.spillway.bench.net.mpi.RankWorld;
import io.spillway.node.Transports;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.thread.DaemonThreads;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.tcp.server.TcpListener;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.worker.UcxConfiguration;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The process that serves. It prints one line with the port of its control connection, answers one
 * client after the other there, and ends with its standard input.
 *
 * <p>Only who knows the secret gets an answer, on the control connection and on those of the data;
 * but {@code ucx_perftest}, which it starts when asked to, knows no secrets.
 */
public final class NetServerMain implements AutoCloseable {
    /** Before the port in what it prints. */
    static final String READY = "ready ";

    private static final long EPOCH = 1;
    private static final int SERVING = 0;
    private static final int PROXY = 1;
    private static final int THREADS = 2;
    private static final Duration PROOF_PATIENCE = Duration.ofSeconds(5);
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final Duration END_PATIENCE = Duration.ofSeconds(5);

    private final NetOptions options;
    private final byte[] secret;
    private final Path folder;
    private final BenchData data;
    private final Map<String, String> answers = new TreeMap<>();
    private final List<AutoCloseable> servers = new ArrayList<>();
    private RankWorld worldOrNull;
    private Process perfTest;

    private NetServerMain(final NetOptions options, final byte[] secret) throws IOException {
        this.options = options;
        this.secret = secret.clone();
        this.folder = Files.createTempDirectory("spillway-net");
        this.data =
                new BenchData(options.dataLength(), folder.resolve("data"), options.fromMemory());
    }

    /** Serves until the standard input ends. */
    public static void main(final String[] arguments) throws IOException {
        final NetOptions options = NetOptions.parse(List.of(arguments));
        final InetAddress host = InetAddress.getByName(options.host());
        try (ServerSocket listener = new ServerSocket(options.port(), 0, host);
                NetServerMain server = new NetServerMain(options, NetProcess.secret())) {
            DaemonThreads.of("control", () -> server.serve(listener)).start();
            System.out.println(READY + listener.getLocalPort());
            awaitEndOfInput();
        }
        System.exit(0); // native code may have threads of its own
    }

    private static void awaitEndOfInput() throws IOException {
        System.in.transferTo(OutputStream.nullOutputStream());
    }

    private void serve(final ServerSocket listener) {
        while (!listener.isClosed()) {
            try (Socket socket = listener.accept();
                    Control control = new Control(socket)) {
                socket.setSoTimeout((int) PROOF_PATIENCE.toMillis());
                if (isProven(control)) {
                    socket.setSoTimeout((int) PATIENCE.toMillis());
                    answer(control);
                }
            } catch (final IOException e) {
                System.err.println("control connection: " + e);
            }
        }
    }

    private boolean isProven(final Control control) throws IOException {
        final String line = control.read();
        final byte[] expected =
                HexFormat.of().formatHex(secret).getBytes(StandardCharsets.US_ASCII);
        final boolean proven =
                line != null
                        && MessageDigest.isEqual(line.getBytes(StandardCharsets.UTF_8), expected);
        control.write(proven ? "ok " + data.length() : "refused");
        return proven;
    }

    private void answer(final Control control) throws IOException {
        for (String line = control.read(); line != null; line = control.read()) {
            try {
                control.write(answer(line));
            } catch (final IOException | RuntimeException | LinkageError e) {
                control.write("none " + e);
            }
        }
    }

    private String answer(final String question) throws IOException {
        if (question.equals("perftest-end")) {
            return "cpu " + perfTestCpu();
        }
        final TransportVariant way =
                TransportVariant.parse(question.substring(question.indexOf(' ') + 1));
        if (question.startsWith("cpu ")) {
            return cpu(way);
        }
        return way.kind() == TransportVariant.Kind.PERFTEST ? startPerfTest(way) : open(way);
    }

    /** Of the process that serves a way, and of the rank of the client's host. */
    private String cpu(final TransportVariant way) throws IOException {
        return way.kind() == TransportVariant.Kind.MPI && worldOrNull != null
                ? "cpu " + worldOrNull.cpuNanos(SERVING) + " " + worldOrNull.cpuNanos(PROXY)
                : "cpu " + cpuNanos() + " 0";
    }

    /** CPU that this process has taken, in nanoseconds. */
    public static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }

    // ---- ways ----------------------------------------------------------------------------------

    private String open(final TransportVariant way) throws IOException {
        final String known = answers.get(way.label());
        if (known != null) {
            return known;
        }
        final String answer = start(way);
        answers.put(way.label(), answer);
        return answer;
    }

    private String start(final TransportVariant way) throws IOException {
        return switch (way.kind()) {
            case RAW_TCP -> at(keep(new RawServer(anyPort(), data, secret)).port());
            case TCP -> at(startTcp());
            case UCX -> startUcx(way);
            case MPI -> startWorld();
            case PERFTEST, MPI_LIBRARY, SEMEM -> throw new IllegalArgumentException(way.label());
        };
    }

    private InetSocketAddress anyPort() {
        return new InetSocketAddress(options.host(), 0);
    }

    private static String at(final int port) {
        return "at " + port;
    }

    private <T extends AutoCloseable> T keep(final T server) {
        servers.add(server);
        return server;
    }

    private int startTcp() {
        final StreamServer server =
                keep(
                        new StreamServer(
                                data,
                                this::secretOf,
                                ServerSettings.from(options.properties()::get),
                                EPOCH));
        return keep(TcpListener.bind(anyPort(), server, THREADS)).address().getPort();
    }

    private byte[] secretOf(final String job) {
        return job.equals(BenchData.JOB) ? secret : null;
    }

    private String startUcx(final TransportVariant way) throws IOException {
        final Optional<TransportProvider> provider = provider(UcxTransport.NAME);
        if (provider.isEmpty()) {
            return "none this build has no transport ucx";
        }
        final Map<String, String> settings = way.settings(options.properties());
        final Optional<String> obstacle = provider.get().obstacle(settings::get);
        if (obstacle.isPresent()) {
            return "none " + obstacle.get();
        }
        final SegmentServer server =
                keep(
                        provider.get()
                                .newServer(
                                        options.host(),
                                        0,
                                        data,
                                        this::secretOf,
                                        settings::get,
                                        EPOCH));
        final NodeAddress address = server.address();
        return at(address.port());
    }

    /** Two ranks: one serves, the other is that of the client's host. */
    private String startWorld() throws IOException {
        final Mpirun mpirun = Mpirun.find(options.mpirun(), System.getenv("PATH"));
        final List<String> jvm = new ArrayList<>(NetBenchmark.JVM);
        jvm.addAll(List.of("-cp", System.getProperty("java.class.path")));
        worldOrNull =
                keep(
                        RankWorld.start(
                                mpirun,
                                PROXY + 1,
                                NetRankMain.class,
                                jvm,
                                options.withCompiler(mpirun.compiler()).arguments(),
                                Map.of()));
        return "at " + worldOrNull.address(SERVING) + " " + worldOrNull.socket(PROXY);
    }

    /** A transport, where this build has it. */
    public static Optional<TransportProvider> provider(final String name) {
        return Transports.all().stream()
                .filter(provider -> provider.name().equals(name))
                .findFirst();
    }

    // ---- ucx_perftest --------------------------------------------------------------------------

    private String startPerfTest(final TransportVariant way) throws IOException {
        if (!PerfTest.isInstalled()) {
            return "none " + PerfTest.COMMAND + " is not on the path of the serving side";
        }
        endPerfTest();
        final int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getByName(options.host()))) {
            port = free.getLocalPort();
        }
        perfTest = PerfTest.serve(port, environment(way, options.properties()));
        return at(port);
    }

    /** UCX as the transport configures it. */
    static Map<String, String> environment(
            final TransportVariant way, final Map<String, String> properties) {
        final Map<String, String> settings =
                new TransportVariant(TransportVariant.Kind.UCX, way.tls()).settings(properties);
        return UcxConfiguration.environment(settings::get);
    }

    private long perfTestCpu() throws IOException {
        if (perfTest == null) {
            return 0;
        }
        try {
            return PerfTest.await(perfTest, END_PATIENCE).cpuNanos();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            return 0;
        }
    }

    private void endPerfTest() {
        if (perfTest != null) {
            perfTest.destroyForcibly();
            perfTest = null;
        }
    }

    @Override
    public void close() throws IOException {
        endPerfTest();
        for (int i = servers.size() - 1; i >= 0; i--) {
            try {
                servers.get(i).close();
            } catch (final Exception e) {
                System.err.println("cannot close a server: " + e);
            }
        }
        data.close();
        Files.deleteIfExists(folder);
    }
}
