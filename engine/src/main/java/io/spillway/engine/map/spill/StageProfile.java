// SPDX-License-Identifier: Apache-2.0
package io.spillway.engine.map.spill;

import io.spillway.engine.spi.MapStage;
import io.spillway.report.ShuffleCounter;
import io.spillway.report.TaskReport;
import io.spillway.thread.DaemonThreads;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;

/**
 * Where a map task's time goes, wall and CPU: the stages of PDSW'16, read, map, collect, spill and
 * merge. Spill and merge are timed by those who do them. The three others follow each other for
 * every record, where two readings of a clock would cost as much as the record; so a sampler looks
 * at the task thread's stack fifty times a second, and the time that is not spill or merge is
 * divided by what it saw. One look takes some 20 microseconds: a thousandth of the task.
 *
 * <p>Only the thread that opens the collector is sampled: where a MultithreadedMapper runs, that
 * one waits in map.
 *
 * <p>Work is timed by one thread at a time; the sampler is this class's own thread.
 */
final class StageProfile implements AutoCloseable {
    /** What is timed. */
    @FunctionalInterface
    interface Work {
        /** Does it. */
        void run() throws IOException, InterruptedException, ClassNotFoundException;
    }

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The stages that the sampler tells apart. */
    private static final List<MapStage> SAMPLED =
            List.of(MapStage.READ, MapStage.MAP, MapStage.COLLECT);

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Thread task = Thread.currentThread();
    private final long startNanos = System.nanoTime();
    private final long startCpuNanos = cpuNanos(task);
    private final Map<MapStage, Long> wall = new EnumMap<>(MapStage.class);
    private final Map<MapStage, Long> cpu = new EnumMap<>(MapStage.class);
    private final Function<StackTraceElement[], MapStage> stages;
    private final Thread sampler;
    private volatile boolean timed;
    private volatile boolean ended;
    private long[] spillMillis = new long[0];
    private long[] spillBytes = new long[0];

    /**
     * Profiles the calling thread from now on.
     *
     * @param stagesOrNull tells read, map and collect apart, once {@link #startSampling}; null
     *     where they need not be
     */
    StageProfile(final Function<StackTraceElement[], MapStage> stagesOrNull) {
        stages = stagesOrNull;
        sampler = stagesOrNull == null ? null : DaemonThreads.of("spillway-stages", this::sample);
    }

    /** Starts the sampler, if there is one; once the collector is sure to stay the task's. */
    void startSampling() {
        if (sampler != null) {
            sampler.start();
        }
    }

    private long cpuNanos(final Thread thread) {
        return threads.isThreadCpuTimeSupported()
                ? Math.max(0, threads.getThreadCpuTime(thread.getId()))
                : 0;
    }

    /**
     * Does work of one stage, by one thread at a time; it does no other timed work.
     *
     * @return its wall time, in nanoseconds
     */
    long time(final MapStage stage, final Work work)
            throws IOException, InterruptedException, ClassNotFoundException {
        final Thread thread = Thread.currentThread();
        final long wallStart = System.nanoTime();
        final long cpuStart = cpuNanos(thread);
        timed = true;
        try {
            work.run();
        } finally {
            timed = false;
            add(stage, System.nanoTime() - wallStart, cpuNanos(thread) - cpuStart);
        }
        return System.nanoTime() - wallStart;
    }

    private synchronized void add(final MapStage stage, final long wallNanos, final long cpuNanos) {
        wall.put(stage, wall.getOrDefault(stage, 0L) + wallNanos);
        cpu.put(stage, cpu.getOrDefault(stage, 0L) + cpuNanos);
    }

    /** Notes one spill. */
    void spilled(final long nanos, final long bytes) {
        spillMillis = appended(spillMillis, TimeUnit.NANOSECONDS.toMillis(nanos));
        spillBytes = appended(spillBytes, bytes);
    }

    private static long[] appended(final long[] values, final long value) {
        final long[] longer = Arrays.copyOf(values, values.length + 1);
        longer[values.length] = value;
        return longer;
    }

    private void sample() {
        long wallBefore = startNanos;
        long cpuBefore = startCpuNanos;
        while (!ended) {
            LockSupport.parkNanos(PERIOD_NANOS);
            final boolean counts = !timed;
            final MapStage stage = counts ? stages.apply(task.getStackTrace()) : null;
            final long wallNow = System.nanoTime();
            final long cpuNow = cpuNanos(task);
            if (counts && !timed && !ended) {
                add(stage, wallNow - wallBefore, cpuNow - cpuBefore);
            }
            wallBefore = wallNow;
            cpuBefore = cpuNow;
        }
    }

    /** Adds the stages to a task's report. */
    synchronized void writeTo(final TaskReport report) {
        ended = true;
        divide(wall, System.nanoTime() - startNanos);
        divide(cpu, cpuNanos(task) - startCpuNanos);
        if (sampler != null) {
            report.add(ShuffleCounter.READ_MILLIS, millis(wall, MapStage.READ));
            report.add(ShuffleCounter.MAP_MILLIS, millis(wall, MapStage.MAP));
            report.add(ShuffleCounter.COLLECT_MILLIS, millis(wall, MapStage.COLLECT));
        }
        for (final MapStage stage : MapStage.values()) {
            if (cpu.containsKey(stage)) {
                report.note(
                        "cpu_" + stage.name().toLowerCase(Locale.ROOT) + "_millis",
                        millis(cpu, stage));
            }
        }
        if (sampler != null) {
            report.note("cpu_sampler_millis", TimeUnit.NANOSECONDS.toMillis(cpuNanos(sampler)));
        }
        report.note("each_spill_millis", spillMillis);
        report.note("each_spill_bytes", spillBytes);
    }

    /** Divides what is not spill or merge by what the sampler saw of the rest. */
    private static void divide(final Map<MapStage, Long> nanos, final long total) {
        final long timedNanos =
                nanos.getOrDefault(MapStage.SPILL, 0L) + nanos.getOrDefault(MapStage.MERGE, 0L);
        final long rest = Math.max(0, total - timedNanos);
        long seen = 0;
        for (final MapStage stage : SAMPLED) {
            seen += nanos.getOrDefault(stage, 0L);
        }
        for (final MapStage stage : SAMPLED) {
            if (seen > 0 && nanos.containsKey(stage)) {
                nanos.put(stage, (long) ((double) rest * nanos.get(stage) / seen));
            }
        }
    }

    private static long millis(final Map<MapStage, Long> nanos, final MapStage stage) {
        return TimeUnit.NANOSECONDS.toMillis(nanos.getOrDefault(stage, 0L));
    }

    /** Stops the sampler. Idempotent. */
    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(sampler);
    }
}
