// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.net;

import io.spillway.engine.map.remote.RemoteSink;
import io.spillway.engine.spi.RemoteOutput;
import io.spillway.ifile.IndexEntry;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.Transport;
import io.spillway.transport.choice.TransportProvider;
import io.spillway.transport.mpi.library.MpiKeys;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ExecutionException;

/**
 * The process that asks over one transport: each line of its standard input is a measurement, which
 * it answers by a line. It connects at the first one, so that a young process pays for that, too.
 * One thread.
 */
public final class NetClient {
    /** Asks for pieces: {@code fetch BYTES WINDOW NANOS}. */
    static final String FETCH = "fetch";

    /** Puts map outputs: {@code put PIECE BYTES}, and the most bytes that the node is to hold. */
    static final String PUT = "put";

    /** In place of an address. */
    static final String NONE = "-";

    private static final int OWN_ARGUMENTS = 6;
    private static final int OUTPUT_BYTES = 128 << 20;
    private static final int SEGMENTS = 32;
    private static final int WRITTEN_AT_ONCE = 128 << 10;

    private final Map<String, String> settings;
    private final String name;
    private final NodeAddress node;
    private final Optional<NodeAddress> proxy;
    private final boolean isHeap;
    private final boolean isOnePlace;
    private final JobCredentials credentials =
            new JobCredentials(BenchData.JOB, NetProcess.secret());
    private final byte[] written = new byte[WRITTEN_AT_ONCE];
    private Transport transport;
    private Channel channel;
    private Channel proxyOrNull;
    private int outputs;

    private NetClient(final List<String> arguments) {
        this.name = arguments.get(0);
        this.node = NodeAddress.parse(arguments.get(1));
        this.proxy =
                Optional.of(arguments.get(2))
                        .filter(text -> !text.equals(NONE))
                        .map(NodeAddress::parse);
        this.isHeap = Boolean.parseBoolean(arguments.get(4));
        this.isOnePlace = Boolean.parseBoolean(arguments.get(5));
        this.settings =
                new HashMap<>(
                        NetProcess.settings(arguments.subList(OWN_ARGUMENTS, arguments.size())));
        if (!arguments.get(3).equals(NONE)) {
            settings.put(MpiKeys.MPI_SOCKET.name(), arguments.get(3));
        }
        new Random(1).nextBytes(written);
    }

    /**
     * The arguments of such a process.
     *
     * @param node the address of the node
     * @param proxy the address of the rank of this host, or {@link #NONE}
     * @param socket where tasks come to that rank, or {@link #NONE}
     */
    static List<String> arguments(
            final String transport,
            final String node,
            final String proxy,
            final String socket,
            final NetPlan plan) {
        return NetProcess.arguments(
                List.of(
                        transport,
                        node,
                        proxy,
                        socket,
                        String.valueOf(plan.heap()),
                        String.valueOf(plan.onePlace())),
                plan.settings());
    }

    /** Measures until the standard input ends. */
    public static void main(final String[] arguments) throws Exception {
        final NetClient client = new NetClient(List.of(arguments));
        final BufferedReader input =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try {
            for (String line = input.readLine(); line != null; line = input.readLine()) {
                System.out.println(client.measure(line.split(" ", -1)).text());
            }
        } catch (final IOException | RuntimeException | LinkageError e) {
            System.out.println(NetProcess.FAILED + e.getMessage());
        }
        Runtime.getRuntime().halt(0); // native code may have threads of its own
    }

    private Sample measure(final String[] question) throws IOException, InterruptedException {
        final long client = NetNode.cpuNanos();
        final long start = System.nanoTime();
        connect();
        final long server = cpu(channel);
        final long rank = cpu(proxyOrNull);
        final Sample came = question[0].equals(FETCH) ? fetch(question) : put(question, start);
        return new Sample(
                came.messages(),
                came.nanos(),
                came.medianMicros(),
                NetNode.cpuNanos() - client,
                cpu(channel) - server,
                cpu(proxyOrNull) - rank);
    }

    private void connect() throws IOException {
        if (channel != null) {
            return;
        }
        final TransportProvider provider = NetProcess.transport(name);
        final Optional<String> obstacle = provider.obstacle(settings::get);
        if (obstacle.isPresent()) {
            throw new IOException(obstacle.get());
        }
        transport = provider.newTransport(settings::get);
        channel = transport.open(node, credentials);
        if (proxy.isPresent()) {
            proxyOrNull = transport.open(proxy.get(), credentials);
        }
    }

    private static long cpu(final Channel nodeOrNull) throws IOException, InterruptedException {
        return nodeOrNull == null ? 0 : ask(nodeOrNull, "cpu");
    }

    private static long ask(final Channel node, final String question)
            throws IOException, InterruptedException {
        final ByteBuffer text = StandardCharsets.US_ASCII.encode(question);
        try {
            return Long.parseLong(
                    StandardCharsets.US_ASCII.decode(node.call(text).get()).toString());
        } catch (final ExecutionException e) {
            throw new IOException("no answer: " + e.getCause().getMessage(), e);
        }
    }

    private Sample fetch(final String[] question) throws IOException, InterruptedException {
        final int bytes = Integer.parseInt(question[1]);
        final int window = Integer.parseInt(question[2]);
        return new FetchRun(channel, bytes, window, isOnePlace, isHeap)
                .run(Long.parseLong(question[3]));
    }

    // ---- puts, by the class that a map uses ----------------------------------------------------

    /** The node forgets what it holds before that gets too much: its memory is used again. */
    private Sample put(final String[] question, final long start)
            throws IOException, InterruptedException {
        final int piece = Integer.parseInt(question[1]);
        final long bytes = Long.parseLong(question[2]);
        final long most = Long.parseLong(question[3]);
        long held = 0;
        for (long left = bytes; left > 0; ) {
            final long output = Math.min(left, Math.min(most, OUTPUT_BYTES));
            if (held + output > most) {
                ask(channel, NetNode.FORGET);
                held = 0;
            }
            putOutput(piece, output);
            left -= output;
            held += output;
        }
        ask(channel, NetNode.FORGET);
        return new Sample(bytes / piece, System.nanoTime() - start, Double.NaN, 0, 0, 0);
    }

    private void putOutput(final int piece, final long length) throws IOException {
        final String output = "attempt_1700000000000_0001_m_000000_" + ++outputs;
        final RemoteOutput.Connector connector = place -> transport.open(place, credentials);
        try (RemoteSink sink =
                new RemoteSink(new RemoteOutput(output, List.of(channel), connector), piece)) {
            long start = 0;
            for (int segment = 1; segment <= SEGMENTS; segment++) {
                final long end = length * segment / SEGMENTS;
                for (long at = start; at < end; at += written.length) {
                    sink.write(written, 0, (int) Math.min(end - at, written.length));
                }
                sink.endSegment(
                        new IndexEntry(start, end - start, end - start),
                        FetchReply.UNKNOWN_RECORDS);
                start = end;
            }
            sink.commit();
        }
    }
}
