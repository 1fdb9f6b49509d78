// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.conf.MpiStart;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.mpi.library.MpiKeys;
import io.spillway.transport.mpi.library.MpiLauncher;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/**
 * The process that serves one transport: the benchmark's segment, and a store in memory that takes
 * what is put, as a memory node does. A call returns its CPU. It prints a line when it is ready, or
 * one with the reason why it cannot be, and ends with its standard input; the ranks of an MPI world
 * end with that of rank 0. Thread-safe.
 */
public final class NetNode implements SegmentSource {
    /** Before its rank and its address in what it prints. */
    static final String READY = "ready ";

    /** A call that frees what was put. Every call is answered by the CPU of this process, in ns. */
    static final String FORGET = "forget";

    private static final long EPOCH = 1;
    private static final int OWN_ARGUMENTS = 5;

    private final byte[] secret = NetProcess.secret();
    private final BenchData data = new BenchData();
    private final MemorySegments memory;

    private NetNode(final long capacity) {
        this.memory =
                new MemorySegments(
                        capacity, MemorySegments.CHUNK_BYTES, this::secretOf, DirectMemory.SYSTEM);
    }

    /**
     * The arguments of such a process.
     *
     * @param capacity bytes that may be put
     * @param world the folder of an MPI world's sockets; of no meaning to other transports
     */
    static List<String> arguments(
            final String transport,
            final String host,
            final int port,
            final long capacity,
            final Path world,
            final Map<String, String> settings) {
        return NetProcess.arguments(
                List.of(
                        transport,
                        host,
                        String.valueOf(port),
                        String.valueOf(capacity),
                        world.toString()),
                settings);
    }

    /** Serves until the standard input ends. */
    public static void main(final String[] arguments) throws Exception {
        final List<String> all = List.of(arguments);
        final Map<String, String> settings =
                new HashMap<>(NetProcess.settings(all.subList(OWN_ARGUMENTS, all.size())));
        int rank = 0;
        if (all.get(0).equals(NetPlan.MPI)) {
            rank = MpiLauncher.of(System.getenv()).orElseThrow().rank();
            settings.put(MpiKeys.MPI_SOCKET.name(), socket(Path.of(all.get(4)), rank));
            settings.put(MpiKeys.MPI_WORLD.name(), MpiStart.LAUNCHED.text());
        }
        try {
            System.out.println(READY + rank + " " + start(all, settings));
        } catch (final IOException e) {
            System.out.println(NetProcess.FAILED + e.getMessage());
            Runtime.getRuntime().halt(1);
        }
        if (rank > 0) {
            new CountDownLatch(1).await(); // the launcher ends it
        }
        System.in.transferTo(OutputStream.nullOutputStream());
        Runtime.getRuntime().halt(1); // a launcher of ranks ends the others, too
    }

    /** Where tasks come to a rank. */
    static String socket(final Path world, final int rank) {
        return world.resolve("rank" + rank).resolve("mpi.sock").toString();
    }

    private static String start(final List<String> arguments, final Map<String, String> settings)
            throws IOException {
        final TransportProvider transport = NetProcess.transport(arguments.get(0));
        final Optional<String> obstacle = transport.servingObstacle(settings::get);
        if (obstacle.isPresent()) {
            throw new IOException(obstacle.get());
        }
        final NetNode node = new NetNode(Long.parseLong(arguments.get(3)));
        final int port = Integer.parseInt(arguments.get(2));
        return transport
                .newServer(arguments.get(1), port, node, node::secretOf, settings::get, EPOCH)
                .address()
                .toString();
    }

    private byte[] secretOf(final String job) {
        return job.equals(BenchData.JOB) ? secret : null;
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return segment.equals(BenchData.SEGMENT) ? data : memory.open(jobId, segment);
    }

    @Override
    public SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return open(jobId, segment);
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
        to.done(StandardCharsets.US_ASCII.encode(String.valueOf(cpuNanos())));
    }

    /** CPU that this process has taken, in nanoseconds. */
    static long cpuNanos() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getProcessCpuTime();
    }
}
