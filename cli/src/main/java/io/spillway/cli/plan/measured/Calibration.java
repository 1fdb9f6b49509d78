// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.plan.model.CpuCosts;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/**
 * What one kind of job costs on one machine, and what its copy, the job without a shuffle, costs
 * there. The copy's cost on another machine, divided by this one, is how much slower that is.
 * Immutable.
 *
 * @param workload whose records they are
 * @param copyPerGb CPU seconds of the job without a shuffle, for a GB of input
 * @param costs of the job
 * @param ratio bytes of map output for a byte of input
 * @param outputRatio bytes of the job's output for a byte of input
 */
public record Calibration(
        String workload, double copyPerGb, CpuCosts costs, double ratio, double outputRatio) {
    /** CPU of tcp's sending side for a GB of 64 kB messages, 16 in flight: net/net.csv. */
    public static final double DEFAULT_PUT = 0.25;

    /** The same of its receiving side. */
    public static final double DEFAULT_TAKE = 0.17;

    private static final double GIGA = 1e9;

    /** The costs of the job as they are on the machine of another copy. */
    CpuCosts costsBy(final CompareFile file, final JobTimes copy) {
        final double factor = copyPerGb(file, copy) / copyPerGb;
        return costs.slowedBy(factor, costs.source() + ", times " + factor)
                .withStarts(taskSeconds(file, copy), copy.startUp());
    }

    /** The costs of the job as they are on the machine of another calibration. */
    public CpuCosts costsOnMachineOf(final Calibration other) {
        return costs.slowedBy(other.copyPerGb / copyPerGb, costs.source())
                .withStarts(other.costs.taskSeconds(), other.costs.jobSeconds());
    }

    /**
     * Takes the costs from the JSON of a comparison.
     *
     * @param option which names the file, for errors
     */
    public static Calibration read(final String option, final Path file) {
        return find(option, file, false)
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        file
                                                + ": expected a run of spillway, auto, static, rdma"
                                                + " or ramdisk"));
    }

    /**
     * Takes the costs from the JSON of a comparison: means over its runs of stock Hadoop, or over
     * those of engines that keep map outputs on the maps' hosts.
     *
     * @param option which names the file, for errors
     * @return nothing where there is no such run
     */
    public static Optional<Calibration> find(
            final String option, final Path file, final boolean isStock) {
        final CompareFile comparison = CompareFile.read(option, file);
        final List<JobTimes> runs =
                comparison.runs().stream().filter(run -> isOf(run, isStock)).toList();
        return runs.isEmpty() ? Optional.empty() : Optional.of(of(comparison, runs));
    }

    private static Calibration of(final CompareFile file, final List<JobTimes> runs) {
        final CpuCosts costs =
                new CpuCosts(
                        mean(runs, run -> run.mapCpu() / gigas(file.bytes())),
                        mean(runs, run -> run.reduceCpu() / gigas(run.mapOutputBytes())),
                        mean(runs, run -> serving(file, run)),
                        DEFAULT_PUT,
                        DEFAULT_TAKE,
                        mean(file.copies(), copy -> taskSeconds(file, copy)),
                        mean(file.copies(), JobTimes::startUp),
                        file.name());
        return new Calibration(
                file.workload(),
                mean(file.copies(), copy -> copyPerGb(file, copy)),
                costs,
                mean(runs, run -> run.mapOutputBytes() / (double) file.bytes()),
                mean(runs, run -> run.outputBytes() / (double) file.bytes()));
    }

    private static boolean isOf(final JobTimes run, final boolean isStock) {
        return run.mapOutputBytes() > 0
                && ModelledEngine.of(run.engine())
                        .filter(engine -> isStock ? engine.isStock() : engine.staysHere())
                        .isPresent();
    }

    private static double copyPerGb(final CompareFile file, final JobTimes copy) {
        return copy.mapCpu() / gigas(file.bytes());
    }

    /**
     * Core time of the copy's map phase that is no task's counted CPU: starts and ends of tasks.
     */
    private static double taskSeconds(final CompareFile file, final JobTimes copy) {
        final double all = file.cores() * copy.mapPhase();
        return Math.max(0, all - copy.mapCpu()) / copy.maps();
    }

    /** What NodeManagers take beyond starting as many tasks for the copy; 0 where unknown. */
    private static double serving(final CompareFile file, final JobTimes run) {
        final JobTimes copy = file.copyOf(run);
        final double starts = copy.managersCpu() * (run.maps() + run.reduces()) / copy.maps();
        final double rest = (run.managersCpu() - starts) / gigas(run.mapOutputBytes());
        return Double.isNaN(rest) ? 0 : Math.max(0, rest);
    }

    private static double mean(final List<JobTimes> jobs, final ToDoubleFunction<JobTimes> value) {
        return jobs.stream().mapToDouble(value).average().orElseThrow();
    }

    private static double gigas(final long bytes) {
        return bytes / GIGA;
    }
}
