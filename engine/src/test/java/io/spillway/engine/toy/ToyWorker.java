// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.toy;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.spillway.engine.spi.OutputId;
import io.spillway.ifile.BlockChecksums;
import io.spillway.ifile.IndexEntry;
import io.spillway.ifile.MapOutputIndex;
import io.spillway.ifile.RecordCounts;
import io.spillway.ifile.SegmentWriter;
import io.spillway.sort.SortBuffer;
import io.spillway.sort.SortedRecords;
import io.spillway.transport.FetchException;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentFile;
import io.spillway.transport.SegmentId;
import io.spillway.transport.ServedSegment;
import io.spillway.transport.serve.JobSecrets;
import io.spillway.transport.serve.SegmentServer;
import io.spillway.transport.serve.SegmentSource;
import io.spillway.transport.tcp.TcpTransportProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Scanner;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.hadoop.io.IOUtils;

/** Sorts inputs by ranges of keys into files, and serves these over tcp. Thread-safe. */
final class ToyWorker implements ToyJob.Worker, SegmentSource {
    static final JobCredentials CREDENTIALS =
            new JobCredentials(ToyJob.ID, "known to this job".getBytes(UTF_8));

    /** No longer than the windows that reducers fetch: a window is verified as a whole. */
    private static final int BLOCK_LENGTH = 4 << 10;

    /** The index, checksums and record counts of a sorted file. */
    record Output(MapOutputIndex index, BlockChecksums sums, RecordCounts counts) {}

    private record Served(SegmentFile file, long rawLength, long partLength, Output of, int part)
            implements ServedSegment {
        @Override
        public void read(final long offset, final ByteBuffer destination) throws IOException {
            file.read(offset, destination);
        }

        @Override
        public long records() {
            return of.counts.of(part);
        }

        @Override
        public long checksum(final long offset, final int length) {
            return of.sums.of(part, partLength, offset, length);
        }

        @Override
        public void close() {
            IOUtils.closeStream(file.channel());
        }
    }

    private final Path dir;
    private final int ranges;
    private final Map<String, Output> outputs = new ConcurrentHashMap<>();
    final SegmentServer server;

    ToyWorker(final Path dir, final int ranges) throws IOException {
        this.dir = dir;
        this.ranges = ranges;
        final JobSecrets secrets = job -> job.equals(ToyJob.ID) ? CREDENTIALS.secret() : null;
        final TcpTransportProvider tcp = new TcpTransportProvider();
        server = tcp.newServer("127.0.0.1", 0, this, secrets, name -> null, System.nanoTime());
    }

    @Override
    public NodeAddress run(final OutputId output, final Path input) throws IOException {
        outputs.put(output.name(), sort(input, ranges, dir.resolve(output.name())));
        return server.address();
    }

    /** Sorts an input into a file. It spills nothing: more than the buffer holds fails the map. */
    static Output sort(final Path input, final int ranges, final Path file) throws IOException {
        final SortBuffer buffer = new SortBuffer(4 << 20, ranges, ToyRecords.order(), () -> {});
        ToyRecords.map(input, ranges, buffer);
        final SortedRecords sorted = buffer.sort();
        final MapOutputIndex index = new MapOutputIndex(ranges);
        try (OutputStream out = Files.newOutputStream(file);
                SegmentWriter writer = new SegmentWriter(out, null, BLOCK_LENGTH)) {
            for (int range = 0; range < ranges; range++) {
                for (int i = sorted.partitionStart(range); i < sorted.partitionEnd(range); i++) {
                    writer.append(sorted.data(), sorted.recordOffset(i), sorted.recordLength(i));
                }
                index.put(range, writer.endSegment());
            }
            return new Output(index, writer.blockChecksums(), writer.recordCounts());
        }
    }

    @Override
    public ServedSegment open(final String jobId, final SegmentId id) throws FetchException {
        final int part = id.partition();
        final Output out = outputs.get(id.output());
        final IndexEntry at = out.index.get(part);
        try {
            final FileChannel channel = FileChannel.open(dir.resolve(id.output()));
            final SegmentFile file = new SegmentFile(channel, at.startOffset());
            return new Served(file, at.rawLength(), at.partLength(), out, part);
        } catch (final IOException e) {
            throw new FetchException(FetchException.Reason.NOT_FOUND, id.toString(), e);
        }
    }

    /** A worker in another JVM: it is sent two lines a map, and answers with its port. */
    record InProcess(Process child) implements ToyJob.Worker {
        @Override
        public synchronized NodeAddress run(final OutputId id, final Path in) throws IOException {
            child.outputWriter().append(id + "\n" + in + "\n").flush();
            return new NodeAddress("127.0.0.1", Integer.parseInt(child.inputReader().readLine()));
        }
    }

    /** Runs such a worker until its input ends. Arguments: those of the constructor. */
    public static void main(final String[] args) throws IOException {
        final PrintStream answers = System.out;
        System.setOut(System.err);
        final ToyWorker worker = new ToyWorker(Path.of(args[0]), Integer.parseInt(args[1]));
        try (Scanner lines = new Scanner(System.in, UTF_8)) {
            while (lines.hasNextLine()) {
                final OutputId output = new OutputId(0, lines.nextLine());
                answers.println(worker.run(output, Path.of(lines.nextLine())).port());
            }
        } finally {
            worker.server.close();
        }
    }
}
