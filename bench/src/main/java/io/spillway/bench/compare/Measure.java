package io.spillway.bench.compare;

import io.spillway.bench.run.JobFigures;
import io.spillway.bench.run.MapStages;
import io.spillway.bench.run.ReduceReport;
import io.spillway.report.ShuffleFigure;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.LongStream;

/**
 * One measure of a job: a row of the table.
 *
 * @param label with its unit
 * @param ofCopy whether the job without a shuffle has it too
 * @param value of a job; not a number where it is unknown
 */
record Measure(String label, boolean ofCopy, ToDoubleFunction<JobFigures> value) {
    private static final double MILLIS = 1e3;
    private static final double MEGA = 1e6;
    private static final double GIGA = 1e9;

    /** All measures in the order of the table. */
    static List<Measure> all(
            final ToDoubleFunction<JobFigures> shuffleTax, final boolean outputOnLocalFiles) {
        return List.of(
                new Measure("wall time, s", true, job -> job.wallMillis() / MILLIS),
                new Measure("CPU, s", true, job -> job.cpuMillis().total() / MILLIS),
                new Measure("CPU of maps, s", true, job -> job.cpuMillis().map() / MILLIS),
                new Measure("CPU of reduces, s", false, job -> job.cpuMillis().reduce() / MILLIS),
                new Measure("shuffle tax, CPU-s/GB", false, shuffleTax),
                new Measure("map phase, s", true, job -> job.stages().mapPhase() / MILLIS),
                new Measure("mean map, s", true, job -> job.stages().meanMap() / MILLIS),
                new Measure("  read a map, s", false, job -> stage(job, "READ_MILLIS")),
                new Measure("  map a map, s", false, job -> stage(job, "MAP_MILLIS")),
                new Measure("  collect a map, s", false, job -> stage(job, "COLLECT_MILLIS")),
                new Measure(
                        "  spill a map, s",
                        false,
                        job -> stage(job, "SORT_MILLIS") + stage(job, "SPILL_MILLIS")),
                new Measure("  merge a map, s", false, job -> stage(job, "MERGE_MILLIS")),
                new Measure(
                        "  spill + merge a map (logs), s",
                        false,
                        job -> job.mapStages().map(MapStages::meanSeconds).orElse(Double.NaN)),
                new Measure("overlap, %", false, Measure::overlapPercent),
                new Measure(
                        "last map to last shuffle, s",
                        false,
                        job -> job.stages().shuffleAfterMaps() / MILLIS),
                new Measure(
                        "last map to last merge, s",
                        false,
                        job -> job.stages().mergeAfterMaps() / MILLIS),
                new Measure(
                        "first reduce() after last map, s",
                        false,
                        job -> most(job, of(ShuffleFigure.FIRST_RECORD_MILLIS)) / MILLIS),
                new Measure("stalls a reducer, s", false, job -> stall(job, "stall_millis")),
                new Measure(
                        "  waiting for a fetch, s",
                        false,
                        job -> stall(job, "stall_flight_millis")),
                new Measure(
                        "  waiting for budget, s", false, job -> stall(job, "stall_budget_millis")),
                new Measure(
                        "  waiting for a source, s",
                        false,
                        job -> stall(job, "stall_source_millis")),
                new Measure(
                        "mean merge (sort), s", false, job -> job.stages().meanMerge() / MILLIS),
                new Measure("mean reduce, s", false, job -> job.stages().meanReduce() / MILLIS),
                new Measure("last map to end, s", true, job -> job.stages().tail() / MILLIS),
                new Measure("peak reduce buffer, MB", false, job -> peakBufferBytes(job) / MEGA),
                new Measure("its budget, MB", false, job -> budgetBytes(job) / MEGA),
                new Measure(
                        "physical memory of a reducer, MB",
                        false,
                        job -> physicalBytes(job) / MEGA),
                new Measure("spilled records, M", true, job -> job.spilledRecords() / MEGA),
                new Measure(
                        "to disk by maps, GB", false, job -> job.fileBytesWrittenByMaps() / GIGA),
                new Measure(
                        "intermediate to disk, GB",
                        false,
                        job -> job.intermediateBytesWritten(outputOnLocalFiles) / GIGA));
    }

    /** Seconds of a stage a map; only Spillway counts them. */
    private static double stage(final JobFigures job, final String figure) {
        return job.counters().containsKey(ShuffleFigure.GROUP)
                ? job.counter(ShuffleFigure.GROUP, figure).total()
                        / MILLIS
                        / Math.max(1, job.maps())
                : Double.NaN;
    }

    /** What was fetched before the last map ended, of all that was fetched. */
    static double overlapPercent(final JobFigures job) {
        final double fetched =
                (double) total(job, ShuffleFigure.FETCH_SPILLWAY_BYTES)
                        + total(job, ShuffleFigure.FETCH_HTTP_BYTES);
        return fetched == 0
                ? Double.NaN
                : 100 * total(job, ShuffleFigure.FETCH_OVERLAPPED_BYTES) / fetched;
    }

    private static long total(final JobFigures job, final ShuffleFigure figure) {
        return job.counter(ShuffleFigure.GROUP, figure.name()).total();
    }

    /** Seconds that a reducer waited, on average; by the counters where no log is at hand. */
    private static double stall(final JobFigures job, final String name) {
        return values(job, report -> report.number(name))
                        .average()
                        .orElseGet(() -> counted(job, name.toUpperCase(Locale.ROOT)))
                / MILLIS;
    }

    private static double counted(final JobFigures job, final String name) {
        return job.counters().getOrDefault(ShuffleFigure.GROUP, Map.of()).containsKey(name)
                ? (double) job.counter(ShuffleFigure.GROUP, name).total()
                        / Math.max(1, job.reduces())
                : Double.NaN;
    }

    /** The most that a reducer's shuffle buffer held. */
    static double peakBufferBytes(final JobFigures job) {
        return most(job, of(ShuffleFigure.PEAK_BUFFER_BYTES));
    }

    /** What a reducer's shuffle buffer may hold. */
    static double budgetBytes(final JobFigures job) {
        return most(job, ReduceReport::budgetBytes);
    }

    /** The largest resident set of a reducer that Hadoop has seen, of any engine. */
    static double physicalBytes(final JobFigures job) {
        final long bytes = job.task("REDUCE_PHYSICAL_MEMORY_BYTES_MAX").reduce();
        return bytes > 0 ? bytes : Double.NaN;
    }

    private static Function<ReduceReport, OptionalLong> of(final ShuffleFigure figure) {
        return report -> report.number(figure.name().toLowerCase(Locale.ROOT));
    }

    private static double most(
            final JobFigures job, final Function<ReduceReport, OptionalLong> value) {
        return values(job, value).asDoubleStream().max().orElse(Double.NaN);
    }

    private static LongStream values(
            final JobFigures job, final Function<ReduceReport, OptionalLong> value) {
        return job.reduceReports().stream().map(value).flatMapToLong(OptionalLong::stream);
    }
}
