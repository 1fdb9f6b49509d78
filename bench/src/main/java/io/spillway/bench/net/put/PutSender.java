package io.spillway.bench.net.put;

import io.spillway.bench.net.NetProcess;
import io.spillway.bench.net.NetServerMain;
import io.spillway.bench.net.TransportVariant;
import io.spillway.engine.remote.RemoteSink;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.ifile.IndexEntry;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.tcp.TcpTransport;
import io.spillway.transport.ucx.client.UcxTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * The process that puts: outputs of 128 MiB and 32 segments, by the class that a map uses, from an
 * array that is as long as a map's. Prints a line for each sample, or one with the reason where
 * there is none. One thread.
 */
public final class PutSender implements AutoCloseable {
    /** Begins the line of a sample. */
    static final String ROW = "row\t";

    /** Begins the line of a reason. */
    static final String NOTE = "note\t";

    private static final String HOST = "127.0.0.1";
    private static final int OWN_ARGUMENTS = 7;
    private static final int OUTPUT_BYTES = 128 << 20;
    private static final int SEGMENTS = 32;
    private static final int WRITTEN_AT_ONCE = 128 << 10;
    private static final long SEED = 1;
    private static final double NANOS = 1e9;

    private final byte[] bytes = new byte[WRITTEN_AT_ONCE];
    private final String way;
    private final int piece;
    private final int round;
    private final long first;
    private final Transport transport;
    private final RemoteOutput.Connector connector;
    private final Channel channel;
    private int outputs;

    private PutSender(final List<String> arguments, final byte[] secret) throws IOException {
        this.way = arguments.get(0);
        this.piece = Integer.parseInt(arguments.get(2));
        this.round = Integer.parseInt(arguments.get(3));
        this.first = Long.parseLong(arguments.get(4));
        new Random(SEED).nextBytes(bytes);
        this.transport = transport(PutPlan.properties(arguments, OWN_ARGUMENTS));
        try {
            this.connector =
                    node -> transport.open(node, new JobCredentials(PutReceiver.JOB, secret));
            this.channel =
                    connector.open(new NodeAddress(HOST, Integer.parseInt(arguments.get(1))));
        } catch (final IOException | RuntimeException e) {
            transport.close();
            throw e;
        }
    }

    private Transport transport(final Map<String, String> properties) throws IOException {
        return TransportVariant.parse(way).kind() == TransportVariant.Kind.TCP
                ? new TcpTransport(properties::get)
                : NetServerMain.provider(UcxTransport.NAME)
                        .orElseThrow(() -> new IOException("this build has no transport ucx"))
                        .newTransport(properties::get);
    }

    /** The arguments of such a process that come before the properties. */
    static List<String> arguments(
            final PutPlan plan,
            final TransportVariant way,
            final int port,
            final int piece,
            final int round) {
        return List.of(
                way.label(),
                String.valueOf(port),
                String.valueOf(piece),
                String.valueOf(round),
                String.valueOf(plan.first()),
                String.valueOf(plan.warmUp()),
                String.valueOf(plan.measured()));
    }

    /** Puts what its arguments say. */
    public static void main(final String[] arguments) throws Exception {
        final List<String> all = List.of(arguments);
        final long start = System.nanoTime();
        final long cpu = NetServerMain.cpuNanos();
        try (PutSender sender = new PutSender(all, NetProcess.secret())) {
            sender.measure(PutRow.Phase.FIRST, sender.first, start, cpu, 0);
            sender.put(Long.parseLong(all.get(5)));
            final long receiver = sender.ask(PutReceiver.CPU);
            sender.measure(
                    PutRow.Phase.STEADY,
                    Long.parseLong(all.get(6)),
                    System.nanoTime(),
                    NetServerMain.cpuNanos(),
                    receiver);
        } catch (final IOException e) {
            System.out.println(NOTE + all.get(0) + ": " + e.getMessage());
            System.exit(1);
        }
        System.exit(0); // native code may have threads of its own
    }

    private void measure(
            final PutRow.Phase phase,
            final long count,
            final long start,
            final long senderBefore,
            final long receiverBefore)
            throws IOException, InterruptedException {
        put(count);
        final long receiver = ask(PutReceiver.CPU) - receiverBefore;
        final PutRow row =
                new PutRow(
                        way,
                        piece,
                        round,
                        phase,
                        count,
                        (System.nanoTime() - start) / NANOS,
                        (NetServerMain.cpuNanos() - senderBefore) / NANOS,
                        receiver / NANOS);
        System.out.println(ROW + row.text("\t"));
    }

    /** Puts bytes; the other side forgets them whenever it is about to be full. */
    private void put(final long count) throws IOException, InterruptedException {
        long held = 0;
        for (long left = count; left > 0; ) {
            final long output = Math.min(left, Math.min(OUTPUT_BYTES, first - held));
            putOutput(output);
            left -= output;
            held += output;
            if (held == first) {
                ask(PutReceiver.FORGET);
                held = 0;
            }
        }
        ask(PutReceiver.FORGET);
    }

    private void putOutput(final long length) throws IOException {
        final String name = "attempt_1700000000000_0001_m_000000_" + outputs++;
        try (RemoteSink sink =
                new RemoteSink(new RemoteOutput(name, List.of(channel), connector), piece)) {
            long start = 0;
            for (int segment = 1; segment <= SEGMENTS; segment++) {
                final long end = length * segment / SEGMENTS;
                write(sink, end - start);
                sink.endSegment(
                        new IndexEntry(start, end - start, end - start),
                        FetchReply.UNKNOWN_RECORDS);
                start = end;
            }
            sink.commit();
        }
    }

    private void write(final RemoteSink sink, final long length) throws IOException {
        for (long left = length; left > 0; left -= Math.min(left, bytes.length)) {
            sink.write(bytes, 0, (int) Math.min(left, bytes.length));
        }
    }

    private long ask(final String question) throws IOException, InterruptedException {
        final Future<ByteBuffer> answer = channel.call(StandardCharsets.US_ASCII.encode(question));
        try {
            return Long.parseLong(StandardCharsets.US_ASCII.decode(answer.get()).toString());
        } catch (final ExecutionException e) {
            throw e.getCause() instanceof FetchException known
                    ? known
                    : new IOException("no answer: " + e.getCause(), e);
        }
    }

    @Override
    public void close() {
        channel.close();
        transport.close();
    }
}
