// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.load;

import io.spillway.lab.net.NetProcess;
import io.spillway.transport.Channel;
import io.spillway.transport.FetchException;
import io.spillway.transport.FetchException.Reason;
import io.spillway.transport.JobCredentials;
import io.spillway.transport.NodeAddress;
import io.spillway.transport.SegmentId;
import io.spillway.transport.Transport;
import io.spillway.transport.tcp.TcpTransport;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;

/**
 * The process that has the tasks. Each opens a connection, proves itself, does its work and closes;
 * so many are connected at a time. Prints how many have ended, and a line for each stage.
 */
public final class LoadTasks implements AutoCloseable {
    /** Begins the line of a stage. */
    static final String ROW = "row\t";

    /** Begins a line that says how many tasks have ended. */
    static final String AT = "at\t";

    /** The last line. */
    static final String END = "end";

    private static final String HOST = "127.0.0.1";
    private static final String MAP = "attempt_1700000000000_0001_m_%06d_1";
    private static final String LONG = "attempt_1700000000000_0001_m_%06d_2";
    private static final long SEED = 1;
    private static final int TELL_TASKS = 100;
    private static final int MOST_RETRIES = 200;
    private static final long RETRY_MILLIS = 50;
    private static final double NANOS = 1e9;

    private final LoadPlan plan;
    private final NodeAddress node;
    private final JobCredentials credentials;
    private final Transport transport;
    private final AtomicInteger ended = new AtomicInteger();

    private LoadTasks(final int port, final byte[] secret, final LoadPlan plan) {
        this.plan = plan;
        this.node = new NodeAddress(HOST, port);
        this.credentials = new JobCredentials(LoadNode.JOB, secret);
        this.transport = new TcpTransport(plan.properties()::get);
    }

    /** Runs all stages: the port, then what {@link LoadPlan} has. */
    public static void main(final String[] arguments) throws Exception {
        final List<String> all = List.of(arguments);
        final LoadPlan plan = LoadPlan.parse(all.subList(1, all.size()));
        try (LoadTasks tasks =
                new LoadTasks(Integer.parseInt(all.get(0)), NetProcess.secret(), plan)) {
            tasks.run();
            System.out.println(END);
        } catch (final IOException e) {
            System.out.println(NetProcess.FAILED + e.getMessage());
            throw e;
        }
    }

    private void run() throws IOException, InterruptedException {
        run(LoadStage.MAPS_PUT, plan.segment(), plan.reducers(), this::putShort);
        run(LoadStage.REDUCERS_FETCH, plan.segment(), plan.maps(), this::fetchShort);
        ask(LoadNode.FORGET);
        final int most = LoadPlan.RUNS * plan.turns();
        run(LoadStage.LONG_OUTPUTS, LoadPlan.SHORT_SEGMENT, most, this::putLong);
        final int ofTurn = LoadPlan.RUNS * LoadPlan.LONG_OUTPUTS;
        run(LoadStage.TURNS_OF_MEMORY, LoadPlan.SHORT_SEGMENT, ofTurn, this::fetchLong);
        ask(LoadNode.FORGET);
        // With its lengths, end marker and checksum.
        final int onDisk = 2 * LoadPlan.SHORT_SEGMENT;
        run(LoadStage.TURNS_OF_DISK, onDisk, plan.files(), this::fetchFiles);
        final int[] numbers = new Random(SEED).ints(plan.turns(), 0, plan.turns()).toArray();
        run(
                LoadStage.RANDOM_OF_DISK,
                onDisk,
                plan.files(),
                (task, number) -> fetchFiles(task, numbers[number]));
    }

    // ---- work ----------------------------------------------------------------------------------

    /** What a task does. */
    @FunctionalInterface
    private interface Work {
        void run(SimulatedTask task, int number) throws IOException, InterruptedException;
    }

    private void putShort(final SimulatedTask task, final int map)
            throws IOException, InterruptedException {
        task.put(String.format(MAP, map), plan.reducers(), 1);
    }

    private void fetchShort(final SimulatedTask task, final int reducer)
            throws IOException, InterruptedException {
        final List<SegmentId> wanted = new ArrayList<>(plan.maps());
        for (int map = 0; map < plan.maps(); map++) {
            wanted.add(new SegmentId(String.format(MAP, map), reducer));
        }
        task.fetch(wanted);
    }

    private void putLong(final SimulatedTask task, final int map)
            throws IOException, InterruptedException {
        task.put(String.format(LONG, map), plan.turns(), LoadPlan.RUNS);
    }

    private void fetchLong(final SimulatedTask task, final int reducer)
            throws IOException, InterruptedException {
        final List<SegmentId> wanted = new ArrayList<>();
        for (int map = 0; map < LoadPlan.LONG_OUTPUTS; map++) {
            for (int run = 0; run < LoadPlan.RUNS; run++) {
                wanted.add(new SegmentId(String.format(LONG, map), reducer, run));
            }
        }
        task.fetch(wanted);
    }

    private void fetchFiles(final SimulatedTask task, final int reducer)
            throws IOException, InterruptedException {
        final List<SegmentId> wanted = new ArrayList<>(plan.files());
        for (int file = 0; file < plan.files(); file++) {
            wanted.add(new SegmentId(LoadNode.onDisk(file), reducer));
        }
        task.fetch(wanted);
    }

    // ---- stages --------------------------------------------------------------------------------

    /** What the tasks of a stage have done so far. Thread-safe. */
    private static final class Sums {
        private final LongAdder segments = new LongAdder();
        private final LongAdder bytes = new LongAdder();
        private final LongAdder retries = new LongAdder();
        private final AtomicInteger next = new AtomicInteger();
        private final AtomicReference<Exception> failure = new AtomicReference<>();
    }

    private void run(final LoadStage stage, final int segment, final int most, final Work work)
            throws IOException, InterruptedException {
        final long nodeCpu = ask(LoadNode.FIGURES)[0];
        final long cpu = NodePeaks.cpuNanos();
        final long start = System.nanoTime();
        final Sums sums = new Sums();
        final int tasks = stage.tasks(plan);
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < Math.min(plan.atATime(), tasks); i++) {
            final Thread thread =
                    new Thread(() -> work(sums, tasks, segment, most, work), "tasks-" + i);
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        final long nanos = System.nanoTime() - start;
        if (sums.failure.get() != null) {
            final Exception cause = sums.failure.get();
            throw new IOException(stage.label() + " failed: " + cause.getMessage(), cause);
        }
        final long[] figures = ask(LoadNode.FIGURES);
        final LoadRow row =
                new LoadRow(
                        stage.name(),
                        tasks,
                        nanos / NANOS,
                        sums.segments.sum(),
                        sums.bytes.sum(),
                        sums.retries.sum(),
                        (figures[0] - nodeCpu) / NANOS,
                        (NodePeaks.cpuNanos() - cpu) / NANOS,
                        figures[1],
                        figures[2],
                        figures[3],
                        figures[4]);
        System.out.println(ROW + row.text("\t"));
    }

    private void work(
            final Sums sums, final int tasks, final int segment, final int most, final Work work) {
        for (int number = sums.next.getAndIncrement();
                number < tasks && sums.failure.get() == null;
                number = sums.next.getAndIncrement()) {
            try (Channel channel = open(sums)) {
                final SimulatedTask task = new SimulatedTask(channel, segment, most);
                work.run(task, number);
                sums.segments.add(task.segments());
                sums.bytes.add(task.bytes());
            } catch (final IOException | RuntimeException e) {
                sums.failure.compareAndSet(null, e);
            } catch (final InterruptedException e) {
                Thread.currentThread().interrupt();
                sums.failure.compareAndSet(null, e);
            }
            tell(ended.incrementAndGet());
        }
    }

    private static void tell(final int tasks) {
        if (tasks % TELL_TASKS == 0) {
            System.out.println(AT + tasks);
        }
    }

    /** As a task that is refused, it asks again. */
    private Channel open(final Sums sums) throws FetchException, InterruptedException {
        for (int retry = 0; ; retry++) {
            try {
                return transport.open(node, credentials);
            } catch (final FetchException e) {
                final boolean passes =
                        e.reason() == Reason.BUSY || e.reason() == Reason.DISCONNECTED;
                if (!passes || retry == MOST_RETRIES) {
                    throw e;
                }
                sums.retries.increment();
                Thread.sleep(RETRY_MILLIS);
            }
        }
    }

    private long[] ask(final String question) throws IOException, InterruptedException {
        try (Channel channel = transport.open(node, credentials)) {
            final ByteBuffer answer =
                    channel.call(StandardCharsets.US_ASCII.encode(question)).get();
            final String[] figures =
                    StandardCharsets.US_ASCII.decode(answer).toString().split(" ", -1);
            final long[] values = new long[figures.length];
            for (int i = 0; i < values.length; i++) {
                values[i] = Long.parseLong(figures[i]);
            }
            return values;
        } catch (final ExecutionException e) {
            throw new IOException("no answer: " + e.getCause(), e);
        }
    }

    @Override
    public void close() {
        transport.close();
    }
}
