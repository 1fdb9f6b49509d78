// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.profile;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.run.JobListener;
import io.spillway.cli.site.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/**
 * Takes samples of the machine and of a job's progress, on a thread of its own, until it is closed.
 * Thread-safe.
 */
public final class JobProfiler implements JobListener, AutoCloseable {
    private static final Path PROC = Path.of("/proc");
    private static final String HEADER =
            "seconds,map_percent,reduce_percent,cpu_percent,memory_mb,disk_operations_per_s,"
                    + "received_mb_per_s_and_host";
    private static final double NANOS = 1e9;
    private static final double MEGA = 1e6;
    private static final double KIBI = 1024;

    private final List<Long> pids;
    private final List<MachineSample> samples = new ArrayList<>();
    private final long began = System.nanoTime();
    private final ScheduledExecutorService clock =
            Executors.newSingleThreadScheduledExecutor(
                    task -> {
                        final Thread thread = new Thread(task, "profiler");
                        thread.setDaemon(true);
                        return thread;
                    });
    private final ScheduledFuture<?> ticks;
    private MachineCounters last;
    private long lastNanos = began;
    private MachineSample.Progress progress = new MachineSample.Progress(0, 0);

    /**
     * Begins.
     *
     * @param pids a process of each host whose network is measured; empty for this machine's own
     *     network
     * @param intervalMillis between samples
     */
    public JobProfiler(final List<Long> pids, final long intervalMillis) {
        this.pids = pids.isEmpty() ? List.of(ProcessHandle.current().pid()) : List.copyOf(pids);
        last = counters();
        ticks =
                clock.scheduleAtFixedRate(
                        this::take, intervalMillis, intervalMillis, TimeUnit.MILLISECONDS);
    }

    private MachineCounters counters() {
        try {
            return MachineCounters.now(PROC, pids);
        } catch (final IOException e) {
            throw new UncheckedIOException("cannot read the kernel's counters", e);
        }
    }

    @Override
    public synchronized void onProgress(final int ofMaps, final int ofReduces) {
        progress = new MachineSample.Progress(ofMaps, ofReduces);
    }

    private synchronized void take() {
        final MachineCounters now = counters();
        final long nanos = System.nanoTime();
        final double seconds = (nanos - lastNanos) / NANOS;
        samples.add(
                new MachineSample(
                        (nanos - began) / NANOS,
                        progress,
                        100.0
                                * (now.busyTicks() - last.busyTicks())
                                / Math.max(1, now.allTicks() - last.allTicks()),
                        now.usedKilobytes() * KIBI / MEGA,
                        (now.diskOperations() - last.diskOperations()) / seconds,
                        Math.max(0, now.receivedBytes() - last.receivedBytes())
                                / MEGA
                                / seconds
                                / pids.size()));
        last = now;
        lastNanos = nanos;
    }

    /** Returns the samples so far. */
    public synchronized List<MachineSample> samples() {
        return List.copyOf(samples);
    }

    /**
     * Writes the samples as CSV, below a line of names. To be called before it is closed.
     *
     * @throws CommandException where sampling has ended by itself, or the file cannot be written
     */
    public void write(final Path file) {
        if (ticks.isDone()) {
            throw new CommandException("sampling for " + file + " ended before its job");
        }
        final List<String> lines = new ArrayList<>();
        lines.add(HEADER);
        for (final MachineSample sample : samples()) {
            lines.add(
                    String.format(
                            Locale.ROOT,
                            "%.2f,%d,%d,%.1f,%.1f,%.1f,%.3f",
                            sample.seconds(),
                            sample.progress().mapPercent(),
                            sample.progress().reducePercent(),
                            sample.cpuPercent(),
                            sample.memoryMegabytes(),
                            sample.diskOperations(),
                            sample.receivedMegabytes()));
        }
        WholeFile.write(file, String.join("\n", lines) + "\n");
    }

    /**
     * Reads what {@link #write} has written.
     *
     * @throws CommandException where the file was not written by it
     */
    public static List<MachineSample> read(final Path file) {
        try {
            final List<String> lines = Files.readAllLines(file);
            if (lines.isEmpty() || !lines.get(0).equals(HEADER)) {
                throw new CommandException(file + ": expected samples, below the line " + HEADER);
            }
            return lines.stream().skip(1).map(JobProfiler::parse).toList();
        } catch (final IOException | NumberFormatException | ArrayIndexOutOfBoundsException e) {
            throw new CommandException("cannot read " + file + ": " + e, e);
        }
    }

    private static MachineSample parse(final String line) {
        final String[] values = line.split(",", -1);
        return new MachineSample(
                Double.parseDouble(values[0]),
                new MachineSample.Progress(
                        Integer.parseInt(values[1]), Integer.parseInt(values[2])),
                Double.parseDouble(values[3]),
                Double.parseDouble(values[4]),
                Double.parseDouble(values[5]),
                Double.parseDouble(values[6]));
    }

    @Override
    public void close() {
        clock.shutdownNow();
    }
}
