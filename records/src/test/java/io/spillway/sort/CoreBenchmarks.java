// SPDX-License-Identifier: Apache-2.0
package io.spillway.sort;

import java.util.Collection;
import java.util.Locale;
import java.util.stream.Collectors;
import org.openjdk.jmh.infra.BenchmarkParams;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.CommandLineOptionException;
import org.openjdk.jmh.runner.options.CommandLineOptions;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/** Runs benchmarks, given JMH's own options, and prints medians as a Markdown table. */
public final class CoreBenchmarks {
    private CoreBenchmarks() {}

    /** Runs. */
    public static void main(final String[] args)
            throws RunnerException, CommandLineOptionException {
        final Collection<RunResult> results =
                new Runner(
                                new OptionsBuilder()
                                        .parent(new CommandLineOptions(args))
                                        .addProfiler(GCProfiler.class)
                                        .build())
                        .run();
        System.out.println(
                "| benchmark | M records/s of CPU, median (min–max) | M records/s of wall, median"
                        + " | B/record |");
        System.out.println("|---|---|---|---|");
        results.forEach(result -> System.out.println(row(result)));
    }

    private static String row(final RunResult result) {
        final double[] cpu = iterations(result, CoreBenchmarks::perCpuMicro);
        final double[] wall = iterations(result, i -> metric(i, "records") / 1e6);
        final double[] bytes =
                iterations(
                        result,
                        i ->
                                metric(i, "gc.alloc.rate.norm")
                                        * i.getPrimaryResult().getScore()
                                        / metric(i, "records"));
        return String.format(
                Locale.ROOT,
                "| %s | %.1f (%.1f–%.1f) | %.1f | %.3f |",
                name(result.getParams()),
                median(cpu),
                cpu[0],
                cpu[cpu.length - 1],
                median(wall),
                median(bytes));
    }

    private static double perCpuMicro(final IterationResult iteration) {
        return metric(iteration, "records") / metric(iteration, "cpuNanos") * 1e3;
    }

    private static double metric(final IterationResult iteration, final String name) {
        final Result<?> found = iteration.getSecondaryResults().get(name);
        if (found == null) {
            throw new IllegalStateException(
                    "No metric " + name + " in " + iteration.getSecondaryResults().keySet());
        }
        return found.getScore();
    }

    private static double[] iterations(
            final RunResult result,
            final java.util.function.ToDoubleFunction<IterationResult> metric) {
        return result.getBenchmarkResults().stream()
                .map(BenchmarkResult::getIterationResults)
                .flatMap(Collection::stream)
                .mapToDouble(metric)
                .sorted()
                .toArray();
    }

    private static double median(final double[] sorted) {
        return sorted[sorted.length / 2];
    }

    private static String name(final BenchmarkParams params) {
        final String[] names = params.getBenchmark().split("\\.", -1);
        return names[names.length - 2]
                + params.getParamsKeys().stream()
                        .map(key -> " " + key + "=" + params.getParam(key))
                        .collect(Collectors.joining());
    }
}
