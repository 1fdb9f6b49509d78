package io.spillway.bench.net.put;

import io.spillway.bench.BenchException;
import io.spillway.bench.net.NetBenchmark;
import io.spillway.bench.net.NetProcess;
import io.spillway.bench.net.TransportVariant;
import io.spillway.bench.run.Monitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Starts the two processes for every sample, and gathers what they find. One thread. */
public final class PutBenchmark {
    /** Of a store's capacity, beside the bytes: what is kept about pieces. */
    private static final int SHARE_OF_OVERHEAD = 2;

    private static final long OTHER_MEMORY = 256L << 20;
    private static final String HEAP = "-Xmx512m";

    private final List<String> classPath;
    private final Path logs;
    private final PutPlan plan;
    private final String secret = NetBenchmark.newSecret();
    private final List<PutRow> rows = new ArrayList<>();
    private final Set<String> notes = new LinkedHashSet<>();

    /**
     * Prepares a benchmark.
     *
     * @param classPath of both processes: Hadoop's jars and Spillway's
     * @param logs where what they say on standard error goes
     */
    public PutBenchmark(final List<String> classPath, final Path logs, final PutPlan plan) {
        this.classPath = List.copyOf(classPath);
        this.logs = logs;
        this.plan = plan;
        try {
            Files.createDirectories(logs);
        } catch (final IOException e) {
            throw new BenchException("cannot make " + logs + ": " + e, e);
        }
    }

    /**
     * Measures. Ways take turns, so that what else the host does troubles all alike.
     *
     * @throws BenchException when a process fails; a way that is not there is a note of the result
     */
    public PutResult run(final Monitor monitor) {
        try (Monitor.Task task = monitor.begin("Puts", plan.senders())) {
            int done = 0;
            for (int round = 1; round <= plan.rounds(); round++) {
                for (final int piece : plan.pieces()) {
                    for (final TransportVariant way : plan.ways()) {
                        measure(way, piece, round);
                        done++;
                        task.at(done, way.label());
                    }
                }
            }
            task.done("");
        }
        if (rows.isEmpty()) {
            throw new BenchException("nothing was measured: " + String.join("; ", notes));
        }
        return new PutResult(plan, rows, List.copyOf(notes));
    }

    private void measure(final TransportVariant way, final int piece, final int round) {
        try (NetProcess receiver = receiver(way)) {
            final String answer = receiver.await("");
            if (answer.startsWith(PutReceiver.NONE)) {
                notes.add(way.label() + ": " + answer.substring(PutReceiver.NONE.length()));
                return;
            }
            final int port = Integer.parseInt(answer.substring(PutReceiver.READY.length()));
            send(way, port, piece, round);
        }
    }

    private NetProcess receiver(final TransportVariant way) {
        final long capacity = plan.first() + plan.first() / SHARE_OF_OVERHEAD;
        return new NetProcess(
                "receiving process",
                List.of(HEAP, "-XX:MaxDirectMemorySize=" + (capacity + OTHER_MEMORY)),
                classPath,
                PutReceiver.class,
                plan.arguments(way, PutReceiver.arguments(way, capacity)),
                secret,
                logs.resolve("receiver.log"));
    }

    private void send(
            final TransportVariant way, final int port, final int piece, final int round) {
        try (NetProcess sender =
                new NetProcess(
                        "sending process",
                        List.of(HEAP),
                        classPath,
                        PutSender.class,
                        plan.arguments(way, PutSender.arguments(plan, way, port, piece, round)),
                        secret,
                        logs.resolve("sender.log"))) {
            sender.forEachLine(this::take);
            if (sender.join() != 0) {
                throw sender.failure("failed: " + String.join("; ", notes));
            }
        }
    }

    private void take(final String line) {
        if (line.startsWith(PutSender.ROW)) {
            rows.add(PutRow.parse(line.substring(PutSender.ROW.length()), "\t"));
        } else if (line.startsWith(PutSender.NOTE)) {
            notes.add(line.substring(PutSender.NOTE.length()));
        }
    }
}
