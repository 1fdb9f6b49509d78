// SPDX-License-Identifier: Apache-2.0
package io.spillway.transport.ucx;

import io.spillway.host.TestJvm;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchListener;
import io.spillway.transport.FetchReply;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.SegmentPlaces;
import io.spillway.transport.TestSegments;
import io.spillway.transport.ucx.client.UcxTransport;
import io.spillway.transport.ucx.server.UcxSegmentServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** A node or a reducer in a process of its own: {@link #main} and how to start it. */
final class UcxChild implements AutoCloseable {
    static final byte[] SECRET = "a shuffle secret".getBytes(StandardCharsets.US_ASCII);
    static final SegmentId SEGMENT = new SegmentId(TestSegments.attempt(3), 0);
    static final int SEGMENT_BYTES = 8 << 20;
    static final int PIECE = 1 << 20;

    private static final String NODE = "node";
    private static final String REDUCER = "reducer";
    private static final int IN_FLIGHT = 6;
    private static final long RETRY_MILLIS = 200;

    private final Process process;
    private final BufferedReader lines;

    private UcxChild(final Process process) {
        this.process = process;
        this.lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    // ---- the parent ----------------------------------------------------------------------------

    /** Starts a node; its first line is {@code PORT} and the port. */
    static UcxChild node(
            final List<String> prefix, final String host, final Map<String, String> settings)
            throws IOException {
        return start(prefix, settings, NODE, host);
    }

    /** Starts a reducer that fetches for ever, from the same node. */
    static UcxChild reducer(
            final List<String> prefix, final NodeAddress node, final Map<String, String> settings)
            throws IOException {
        return start(prefix, settings, REDUCER, node.host(), Integer.toString(node.port()));
    }

    private static UcxChild start(
            final List<String> prefix,
            final Map<String, String> settings,
            final String... arguments)
            throws IOException {
        final List<String> options = new ArrayList<>(List.of("-Xmx128m"));
        settings.forEach((name, value) -> options.add("-D" + name + "=" + value));
        final List<String> command = new ArrayList<>(prefix);
        command.addAll(TestJvm.command(options, UcxChild.class, arguments));
        return new UcxChild(
                new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start());
    }

    /** Waits for a line that begins so; returns what follows. */
    String await(final String beginning) throws IOException {
        String line = lines.readLine();
        while (line != null && !line.startsWith(beginning)) {
            line = lines.readLine();
        }
        if (line == null) {
            throw new IOException("the child ended, expected a line " + beginning);
        }
        return line.substring(beginning.length()).trim();
    }

    int awaitPort() throws IOException {
        return Integer.parseInt(await("PORT"));
    }

    /** kill -9. */
    void kill() throws InterruptedException {
        process.destroyForcibly();
        if (!process.waitFor(10, TimeUnit.SECONDS)) {
            throw new IllegalStateException("the child outlives kill -9");
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        lines.close();
    }

    // ---- the child -----------------------------------------------------------------------------

    /** Runs until it is killed, or its parent is gone. */
    public static void main(final String[] args) throws Exception {
        final Function<String, String> settings = System::getProperty;
        if (args[0].equals(NODE)) {
            serve(args[1], settings);
        } else {
            final NodeAddress node = new NodeAddress(args[1], Integer.parseInt(args[2]));
            reduce(node, settings);
        }
    }

    private static void serve(final String host, final Function<String, String> settings)
            throws Exception {
        final Path folder = Files.createTempDirectory("spillway-ucx-child");
        try (TestSegments segments = new TestSegments(folder);
                UcxSegmentServer server =
                        new UcxSegmentServer(host, 0, segments, job -> SECRET, settings, 1)) {
            segments.add(3, SEGMENT_BYTES);
            say("PORT " + server.address().port());
            System.in.transferTo(OutputStream.nullOutputStream());
        }
    }

    private static void reduce(final NodeAddress node, final Function<String, String> settings)
            throws Exception {
        try (UcxTransport transport = new UcxTransport(settings)) {
            while (true) {
                try (Channel channel =
                        transport.open(node, new JobCredentials(TestSegments.JOB, SECRET))) {
                    fetchForEver(channel);
                } catch (final FetchException e) {
                    say("LOST " + e.reason() + " " + e.getMessage());
                    Thread.sleep(RETRY_MILLIS);
                }
            }
        }
    }

    /** Ends when everything that was in flight has failed. */
    private static void fetchForEver(final Channel channel)
            throws InterruptedException, FetchException {
        final Semaphore ended = new Semaphore(0);
        final Loop loop = new Loop(channel, ended, new AtomicReference<>(), new AtomicInteger());
        for (int i = 0; i < IN_FLIGHT; i++) {
            channel.fetch(SEGMENT, 0, ByteBuffer.allocate(PIECE), loop);
        }
        ended.acquire(IN_FLIGHT);
        throw loop.cause.get();
    }

    private record Loop(
            Channel channel,
            Semaphore ended,
            AtomicReference<FetchException> cause,
            AtomicInteger fetched)
            implements FetchListener {
        @Override
        public void onFetched(final ByteBuffer destination, final FetchReply reply) {
            final int count = fetched.incrementAndGet();
            if (count % 20 == 0) {
                say("FETCHED " + count);
            }
            final long offset = (long) PIECE * (count % (SEGMENT_BYTES / PIECE));
            channel.fetch(SEGMENT, offset, destination.clear(), this);
        }

        @Override
        public void onElsewhere(final ByteBuffer destination, final SegmentPlaces places) {
            onFailed(
                    destination,
                    new FetchException(FetchException.Reason.NOT_FOUND, "it is at " + places));
        }

        @Override
        public void onFailed(final ByteBuffer destination, final FetchException failure) {
            cause.set(failure);
            ended.release();
        }
    }

    private static void say(final String line) {
        System.out.println(line);
        System.out.flush();
    }
}
