// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import io.spillway.hadoop.job.MapReduceLayout;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.SegmentWriter;
import io.spillway.lab.net.NetProcess;
import io.spillway.node.LocalSegmentSource;
import io.spillway.protocol.ServerSettings;
import io.spillway.stream.server.StreamServer;
import io.spillway.transport.DirectMemory;
import io.spillway.transport.FetchException;
import io.spillway.transport.SegmentAnswer;
import io.spillway.transport.SegmentId;
import io.spillway.transport.held.MemorySegments;
import io.spillway.transport.serve.NodeService;
import io.spillway.transport.serve.SegmentSink;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.server.TcpListener;
import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;

/**
 * The process that serves: outputs in memory as a memory node does, and outputs on disk as a host
 * of maps does, behind one tcp port. Prints the port, and ends with its standard input. It answers
 * two calls: one returns its CPU and its peaks, the other one forgets what was put. Thread-safe.
 */
public final class LoadNode implements SegmentSource {
    /** Before the port in what it prints. */
    static final String READY = "ready ";

    /** The job of all tasks. */
    static final String JOB = "job_1700000000000_0001";

    /** Asks for {@link NodePeaks#take}. */
    static final String FIGURES = "figures";

    /** Frees what was put. */
    static final String FORGET = "forget";

    private static final MapReduceLayout LAYOUT = new MapReduceLayout();
    private static final int OWN_ARGUMENTS = 2;
    private static final int THREADS = 2;
    private static final long EPOCH = 1;
    private static final int BLOCK = 64 << 10;
    private static final int KEY = 10;

    private final byte[] secret;
    private final MemorySegments memory;
    private final LocalSegmentSource disk;
    private final NodePeaks peaks = new NodePeaks();

    private LoadNode(
            final byte[] secret, final long capacity, final Path folder, final LoadPlan plan) {
        this.secret = secret.clone();
        this.memory =
                new MemorySegments(
                        capacity, MemorySegments.CHUNK_BYTES, this::secretOf, DirectMemory.SYSTEM);
        this.disk =
                new LocalSegmentSource(
                        LAYOUT,
                        path -> locate(folder, path),
                        List.of(),
                        job -> job.equals(JOB) ? user() : null,
                        plan.properties()::get);
    }

    private static String user() {
        return System.getProperty("user.name");
    }

    private static File locate(final Path folder, final String relative)
            throws FileNotFoundException {
        final Path path = folder.resolve(relative);
        if (!Files.exists(path)) {
            throw new FileNotFoundException(relative);
        }
        return path.toFile();
    }

    /** The name of an output on disk. */
    static String onDisk(final int number) {
        return String.format("attempt_1700000000000_0001_m_%06d_0", number);
    }

    /** Serves until the standard input ends: capacity, folder, then what {@link LoadPlan} has. */
    public static void main(final String[] arguments) throws IOException {
        final List<String> all = List.of(arguments);
        final LoadPlan plan = LoadPlan.parse(all.subList(OWN_ARGUMENTS, all.size()));
        final Path folder = Path.of(all.get(1));
        for (int file = 0; file < plan.files(); file++) {
            write(folder, file, plan.turns());
        }
        final LoadNode node =
                new LoadNode(NetProcess.secret(), Long.parseLong(all.get(0)), folder, plan);
        try (StreamServer server =
                        new StreamServer(
                                node,
                                node::secretOf,
                                ServerSettings.from(plan.properties()::get),
                                EPOCH);
                TcpListener listener =
                        TcpListener.bind(
                                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                                server,
                                THREADS)) {
            node.peaks.start();
            System.out.println(READY + listener.address().getPort());
            System.in.transferTo(OutputStream.nullOutputStream());
        }
        System.exit(0); // tasks may be connected
    }

    /** A map output of one short record for each reducer. */
    private static void write(final Path folder, final int number, final int partitions)
            throws IOException {
        final Path output = folder.resolve(LAYOUT.jobFolder(user(), JOB)).resolve(onDisk(number));
        Files.createDirectories(output);
        final byte[] record = new byte[LoadPlan.SHORT_SEGMENT];
        new Random(number).nextBytes(record);
        final MapOutputIndex index = new MapOutputIndex(partitions);
        try (OutputStream out =
                        new BufferedOutputStream(
                                Files.newOutputStream(output.resolve("file.out")));
                SegmentWriter writer = new SegmentWriter(out, null, BLOCK)) {
            for (int partition = 0; partition < partitions; partition++) {
                writer.append(record, 0, KEY, record, KEY, record.length - KEY);
                index.put(partition, writer.endSegment());
            }
            try (OutputStream sums =
                    Files.newOutputStream(output.resolve("file.out" + BlockChecksums.SUFFIX))) {
                writer.blockChecksums().writeTo(sums, 1);
            }
            try (OutputStream counts =
                    Files.newOutputStream(output.resolve("file.out" + RecordCounts.SUFFIX))) {
                writer.recordCounts().writeTo(counts, 1);
            }
        }
        try (OutputStream out = Files.newOutputStream(output.resolve("file.out.index"))) {
            index.writeTo(out);
        }
    }

    private byte[] secretOf(final String job) {
        return job.equals(JOB) ? secret : null;
    }

    private SegmentSource sourceOf(final SegmentId segment) {
        return memory.holds(JOB, segment.output()) ? memory : disk;
    }

    @Override
    public SegmentAnswer open(final String jobId, final SegmentId segment) throws FetchException {
        return sourceOf(segment).open(jobId, segment);
    }

    @Override
    public SegmentAnswer openIfCached(final String jobId, final SegmentId segment)
            throws FetchException {
        return sourceOf(segment).openIfCached(jobId, segment);
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
        to.done(StandardCharsets.US_ASCII.encode(peaks.take()));
    }
}
