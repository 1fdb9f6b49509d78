package io.spillway.hadoop.map;

import io.spillway.report.ShuffleFigure;
import io.spillway.report.TaskReport;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

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
    /** A stage of a map task. */
    enum Stage {
        READ,
        MAP,
        COLLECT,
        SPILL,
        MERGE
    }

    /** What is timed. */
    @FunctionalInterface
    interface Work {
        /** Does it. */
        void run() throws IOException, InterruptedException, ClassNotFoundException;
    }

    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final String MAP_TASK = "org.apache.hadoop.mapred.MapTask$";

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final Thread task = Thread.currentThread();
    private final long startNanos = System.nanoTime();
    private final long startCpuNanos = cpuNanos(task);
    private final Map<Stage, Long> wall = new EnumMap<>(Stage.class);
    private final Map<Stage, Long> cpu = new EnumMap<>(Stage.class);
    private final Thread sampler;
    private volatile boolean timed;
    private volatile boolean ended;
    private long[] spillMillis = new long[0];
    private long[] spillBytes = new long[0];

    /**
     * Profiles the calling thread from now on.
     *
     * @param samples whether read, map and collect are told apart, once {@link #startSampling}
     */
    StageProfile(final boolean samples) {
        sampler = samples ? new Thread(this::sample, "spillway-stages") : null;
    }

    /** Starts the sampler, if there is one; once the collector is sure to stay the task's. */
    void startSampling() {
        if (sampler != null) {
            sampler.setDaemon(true);
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
    long time(final Stage stage, final Work work)
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

    private synchronized void add(final Stage stage, final long wallNanos, final long cpuNanos) {
        wall.merge(stage, wallNanos, Long::sum);
        cpu.merge(stage, cpuNanos, Long::sum);
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
            final Stage stage = counts ? stageOf(task.getStackTrace()) : null;
            final long wallNow = System.nanoTime();
            final long cpuNow = cpuNanos(task);
            if (counts && !timed && !ended) {
                add(stage, wallNow - wallBefore, cpuNow - cpuBefore);
            }
            wallBefore = wallNow;
            cpuBefore = cpuNow;
        }
    }

    /** Whose code runs, by the frame of MapTask nearest to the top. */
    static Stage stageOf(final StackTraceElement[] stack) {
        for (final StackTraceElement frame : stack) {
            final String type = frame.getClassName();
            if (type.startsWith(MAP_TASK)) {
                final String inner = type.substring(MAP_TASK.length());
                if (inner.endsWith("RecordReader")) {
                    return Stage.READ;
                }
                if (inner.endsWith("OutputCollector")) {
                    return Stage.COLLECT;
                }
            }
        }
        return Stage.MAP;
    }

    /** Adds the stages to a task's report. */
    synchronized void writeTo(final TaskReport report) {
        ended = true;
        divide(wall, System.nanoTime() - startNanos);
        divide(cpu, cpuNanos(task) - startCpuNanos);
        if (sampler != null) {
            report.add(ShuffleFigure.READ_MILLIS, millis(wall, Stage.READ));
            report.add(ShuffleFigure.MAP_MILLIS, millis(wall, Stage.MAP));
            report.add(ShuffleFigure.COLLECT_MILLIS, millis(wall, Stage.COLLECT));
        }
        for (final Stage stage : Stage.values()) {
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
    private static void divide(final Map<Stage, Long> nanos, final long total) {
        final long timedNanos =
                nanos.getOrDefault(Stage.SPILL, 0L) + nanos.getOrDefault(Stage.MERGE, 0L);
        final long rest = Math.max(0, total - timedNanos);
        final long seen = nanos.values().stream().mapToLong(Long::longValue).sum() - timedNanos;
        for (final Stage stage : new Stage[] {Stage.READ, Stage.MAP, Stage.COLLECT}) {
            if (seen > 0) {
                nanos.computeIfPresent(stage, (s, value) -> (long) ((double) rest * value / seen));
            }
        }
    }

    private static long millis(final Map<Stage, Long> nanos, final Stage stage) {
        return TimeUnit.NANOSECONDS.toMillis(nanos.getOrDefault(stage, 0L));
    }

    /** Stops the sampler. Idempotent. */
    @Override
    public void close() {
        ended = true;
        LockSupport.unpark(sampler);
    }
}
