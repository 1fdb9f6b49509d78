package io.spillway.bench.net;

import io.spillway.bench.mpi.Mpirun;
import io.spillway.bench.net.data.BenchData;
import io.spillway.bench.net.data.Pieces;
import io.spillway.bench.net.mpi.MpiBench;
import io.spillway.conf.SpillwayKeys;
import io.spillway.transport.Channel;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.transport.ucx.client.UcxTransport;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The process that measures. It prints a line for each sample, and for each way that cannot be
 * measured the reason. Ways take turns, so that what else the host does troubles all of them alike.
 */
public final class NetClientMain implements AutoCloseable {
    /** Begins the line of a sample. */
    static final String ROW = "row\t";

    /** Begins the line of a reason. */
    static final String NOTE = "note\t";

    private final NetOptions options;
    private final NetPlan plan;
    private final byte[] secret;
    private final Control control;
    private final int dataLength;
    private final Map<TransportVariant, Traffic> open = new LinkedHashMap<>();

    private NetClientMain(final NetOptions options, final NetPlan plan, final byte[] secret)
            throws IOException {
        this.options = options;
        this.plan = plan;
        this.secret = secret.clone();
        this.control = new Control(new Socket(options.host(), options.port()));
        final String answer = control.ask(HexFormat.of().formatHex(secret));
        if (!answer.startsWith("ok ")) {
            control.close();
            throw new IOException(options.host() + " refuses: the secret is another one");
        }
        this.dataLength = Integer.parseInt(answer.substring("ok ".length()));
    }

    /** Measures what its arguments say: the plan's, then those of {@link NetOptions}. */
    public static void main(final String[] arguments) throws Exception {
        final List<String> all = Arrays.asList(arguments);
        final NetPlan plan = NetPlan.parse(all.subList(0, NetPlan.PARTS));
        final NetOptions options = NetOptions.parse(all.subList(NetPlan.PARTS, all.size()));
        try (NetClientMain client = new NetClientMain(options, plan, NetProcess.secret())) {
            client.openAll();
            client.measureAll();
        } catch (final IOException e) {
            System.out.println(NOTE + "cannot measure: " + e.getMessage());
            System.exit(1);
        }
        System.exit(0); // native code may have threads of its own
    }

    private void openAll() throws InterruptedException {
        for (final TransportVariant way : plan.ways()) {
            try {
                final Traffic traffic = open(way);
                open.put(way, traffic);
                warmUp(traffic, way);
            } catch (final IOException | RuntimeException | LinkageError e) {
                drop(way, e);
            }
        }
    }

    private void drop(final TransportVariant way, final Throwable reason) {
        System.out.println(NOTE + way.label() + ": " + reason.getMessage());
        final Traffic broken = open.remove(way);
        if (broken != null) {
            closeQuietly(broken);
        }
    }

    private static void closeQuietly(final Traffic traffic) {
        try {
            traffic.close();
        } catch (final IOException | RuntimeException e) {
            System.err.println("cannot close: " + e);
        }
    }

    private void warmUp(final Traffic traffic, final TransportVariant way)
            throws IOException, InterruptedException {
        if (way.kind().isOthers()) {
            return; // it warms up itself, in each test
        }
        final long nanos =
                plan.warmUpNanos() / ((long) plan.windows().size() * plan.sizes().size());
        for (final int window : plan.windows()) {
            for (final int bytes : plan.sizes()) {
                traffic.run(Math.min(bytes, dataLength), window, nanos);
            }
        }
    }

    // ---- ways ----------------------------------------------------------------------------------

    /** Has the other side open a way, and gives where. */
    static String requireAt(final Control control, final TransportVariant way) throws IOException {
        final String answer = control.ask("open " + way.label());
        if (!answer.startsWith("at ")) {
            throw new IOException(answer.substring(answer.indexOf(' ') + 1));
        }
        return answer.substring("at ".length());
    }

    private Traffic open(final TransportVariant way) throws IOException {
        return switch (way.kind()) {
            case RAW_TCP ->
                    new RawTraffic(
                            new InetSocketAddress(options.host(), port(way)), secret, pieces());
            case TCP -> fetch(new TcpTransport(options.properties()::get), here(way));
            case UCX -> openUcx(way);
            case MPI -> openMpi(way);
            case PERFTEST -> openPerfTest(way);
            case MPI_LIBRARY, SEMEM -> openMpiLibrary(way);
        };
    }

    private Pieces pieces() {
        return new Pieces(dataLength, plan.direct(), plan.onePlace());
    }

    private int port(final TransportVariant way) throws IOException {
        return Integer.parseInt(requireAt(control, way));
    }

    private Traffic openUcx(final TransportVariant way) throws IOException {
        final Optional<TransportProvider> provider = NetServerMain.provider(UcxTransport.NAME);
        if (provider.isEmpty()) {
            throw new IOException("this build has no transport ucx");
        }
        final Map<String, String> settings = way.settings(options.properties());
        final Optional<String> obstacle = provider.get().obstacle(settings::get);
        if (obstacle.isPresent()) {
            throw new IOException(obstacle.get());
        }
        return fetch(provider.get().newTransport(settings::get), here(way));
    }

    private NodeAddress here(final TransportVariant way) throws IOException {
        return new NodeAddress(options.host(), port(way));
    }

    /** As a task does: by the socket of its host's rank. */
    private Traffic openMpi(final TransportVariant way) throws IOException {
        final String[] place = requireAt(control, way).split(" ", 2);
        if (!Files.exists(Path.of(place[1]))) {
            throw new IOException("measured where both sides are on one host only");
        }
        final Map<String, String> settings = new HashMap<>(options.properties());
        settings.put(SpillwayKeys.MPI_SOCKET.name(), place[1]);
        final TransportProvider provider =
                NetServerMain.provider(way.label())
                        .orElseThrow(() -> new IOException("this build has no transport mpi"));
        return fetch(provider.newTransport(settings::get), NodeAddress.parse(place[0]));
    }

    private Traffic openMpiLibrary(final TransportVariant way) throws IOException {
        final Mpirun mpirun = Mpirun.find(options.mpirun(), System.getenv("PATH"));
        final String compiler =
                SpillwayKeys.MPI_COMPILER.get(
                        options.withCompiler(mpirun.compiler()).properties()::get);
        return new MpiLibraryTraffic(new MpiBench(mpirun, compiler), way, pieces());
    }

    private Traffic fetch(final Transport transport, final NodeAddress address) throws IOException {
        try {
            final Channel channel =
                    transport.open(address, new JobCredentials(BenchData.JOB, secret));
            return new ChannelTraffic(transport, channel, pieces());
        } catch (final IOException | RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    private Traffic openPerfTest(final TransportVariant way) throws IOException {
        if (!PerfTest.isInstalled()) {
            throw new IOException(
                    "not on the path; Debian has it in the package ucx-utils, others in ucx");
        }
        return new PerfTestTraffic(control, options.host(), way, options.properties());
    }

    // ---- samples -------------------------------------------------------------------------------

    private void measureAll() throws InterruptedException {
        for (int repeat = 1; repeat <= plan.repeats(); repeat++) {
            for (final int window : plan.windows()) {
                for (final int bytes : plan.sizes()) {
                    measure(repeat, window, bytes);
                }
            }
        }
    }

    private void measure(final int repeat, final int window, final int bytes)
            throws InterruptedException {
        if (bytes > dataLength) {
            if (repeat == 1) {
                System.out.println(NOTE + bytes + " bytes: the other side serves " + dataLength);
            }
            return;
        }
        for (final TransportVariant way : List.copyOf(open.keySet())) {
            try {
                final Traffic.Sample sample = sample(way, bytes, window);
                System.out.println(ROW + NetRow.of(way, bytes, window, repeat, sample).text("\t"));
            } catch (final IOException | RuntimeException | LinkageError e) {
                drop(way, e);
            }
        }
    }

    private Traffic.Sample sample(final TransportVariant way, final int bytes, final int window)
            throws IOException, InterruptedException {
        final Traffic traffic = open.get(way);
        if (way.kind().isOthers()) {
            return traffic.run(bytes, window, plan.sliceNanos());
        }
        final long[] othersBefore = othersCpu(way);
        final long before = NetServerMain.cpuNanos();
        final Traffic.Sample sample = traffic.run(bytes, window, plan.sliceNanos());
        final long client = NetServerMain.cpuNanos() - before;
        final long[] others = othersCpu(way);
        return sample.withCpu(client, others[0] - othersBefore[0], others[1] - othersBefore[1]);
    }

    /** Of the process that serves, and of the rank of this host. */
    private long[] othersCpu(final TransportVariant way) throws IOException {
        final String[] answer = control.ask("cpu " + way.label()).split(" ", -1);
        if (!answer[0].equals("cpu")) {
            throw new IOException(String.join(" ", answer));
        }
        return new long[] {Long.parseLong(answer[1]), Long.parseLong(answer[2])};
    }

    @Override
    public void close() throws IOException {
        open.values().forEach(NetClientMain::closeQuietly);
        control.close();
    }
}
