package io.spillway.bench.net.put;

import io.spillway.bench.net.NetProcess;
import io.spillway.bench.net.NetServerMain;
import io.spillway.bench.net.TransportVariant;
import io.spillway.memory.MemorySegments;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.TcpListener;
import io.spillway.transport.ucx.client.UcxTransport;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The process that takes: a store in memory behind one transport, as in a memory node. It prints
 * one line with its port, or why there is none, and ends with its standard input. Thread-safe.
 *
 * <p>It answers two calls: one tells its CPU, the other one forgets what was put.
 */
public final class PutReceiver implements SegmentSource {
    /** Before the port in what it prints. */
    static final String READY = "ready ";

    /** Before a reason in what it prints instead of a port. */
    static final String NONE = "none ";

    /** The job that puts. */
    static final String JOB = "job_1700000000000_0001";

    /** Asks for the CPU of this process since it was ready, in nanoseconds. */
    static final String CPU = "cpu";

    /** Frees what was put; answered as {@link #CPU}. */
    static final String FORGET = "forget";

    private static final String HOST = "127.0.0.1";
    private static final int OWN_ARGUMENTS = 2;
    private static final int THREADS = 2;
    private static final long EPOCH = 1;

    private final byte[] secret;
    private final MemorySegments memory;
    private volatile long cpuBefore;

    private PutReceiver(final byte[] secret, final long capacity) {
        this.secret = secret.clone();
        this.memory =
                new MemorySegments(
                        capacity, MemorySegments.CHUNK_BYTES, this::secretOf, DirectMemory.SYSTEM);
    }

    /** The arguments of such a process that come before the properties. */
    static List<String> arguments(final TransportVariant way, final long capacity) {
        return List.of(way.label(), String.valueOf(capacity));
    }

    /** Takes until the standard input ends. */
    public static void main(final String[] arguments) throws IOException {
        final List<String> all = List.of(arguments);
        final Map<String, String> properties = PutPlan.properties(all, OWN_ARGUMENTS);
        final PutReceiver receiver =
                new PutReceiver(NetProcess.secret(), Long.parseLong(all.get(1)));
        final List<AutoCloseable> servers = new ArrayList<>();
        final String answer =
                receiver.start(TransportVariant.parse(all.get(0)), properties::get, servers);
        receiver.cpuBefore = NetServerMain.cpuNanos();
        System.out.println(answer);
        System.in.transferTo(OutputStream.nullOutputStream());
        System.exit(0); // native code may have threads of its own
    }

    private String start(
            final TransportVariant way,
            final Function<String, String> settings,
            final List<AutoCloseable> servers)
            throws IOException {
        return way.kind() == TransportVariant.Kind.TCP
                ? startTcp(settings, servers)
                : startUcx(settings, servers);
    }

    private String startTcp(
            final Function<String, String> settings, final List<AutoCloseable> servers) {
        final StreamServer server =
                new StreamServer(this, this::secretOf, ServerSettings.from(settings), EPOCH);
        servers.add(server);
        final TcpListener listener =
                TcpListener.bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                        server,
                        THREADS);
        servers.add(listener);
        return READY + listener.address().getPort();
    }

    private String startUcx(
            final Function<String, String> settings, final List<AutoCloseable> servers)
            throws IOException {
        final Optional<TransportProvider> provider = NetServerMain.provider(UcxTransport.NAME);
        if (provider.isEmpty()) {
            return NONE + "this build has no transport ucx";
        }
        final Optional<String> obstacle = provider.get().obstacle(settings);
        if (obstacle.isPresent()) {
            return NONE + obstacle.get();
        }
        final SegmentServer server =
                provider.get().newServer(HOST, 0, this, this::secretOf, settings, EPOCH);
        servers.add(server);
        return READY + server.address().port();
    }

    private byte[] secretOf(final String job) {
        return job.equals(JOB) ? secret : null;
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return memory.open(jobId, segment);
    }

    @Override
    public Optional<SegmentSink> sink() {
        return memory.sink();
    }

    @Override
    public Optional<NodeService> service() {
        return Optional.of(this::answer);
    }

    private void answer(final String jobId, final ByteBuffer request, final NodeService.Reply to) {
        if (StandardCharsets.US_ASCII.decode(request).toString().equals(FORGET)) {
            memory.dropJob(jobId);
        }
        final long cpu = NetServerMain.cpuNanos() - cpuBefore;
        to.done(StandardCharsets.US_ASCII.encode(String.valueOf(cpu)));
    }
}
