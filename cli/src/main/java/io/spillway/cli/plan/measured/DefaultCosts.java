// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import io.spillway.cli.plan.model.CpuCosts;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Costs that were measured for this project: means of committed results, which a test takes anew
 * from the files. Their machines have two virtual cores of an AMD EPYC, and four tasks at a time.
 */
public enum DefaultCosts {
    /** Records of 100 bytes with keys of 10. */
    TERASORT(
            false,
            List.of("edges-4g/after-1.json", "edges-4g/after-2.json"),
            6.74,
            new double[] {8.54, 5.10, 0.78, 2.14, 2.33},
            1.04,
            1.008),

    /** Records of 10 kB; the machine was half as fast that day. */
    SORT(
            false,
            List.of("engine-4g/sort-before-1.json", "engine-4g/sort-before-2.json"),
            6.00,
            new double[] {5.92, 7.09, 1.56, 4.33, 4.48},
            1.001,
            1.010),

    /** TeraSort's records with stock Hadoop. */
    STOCK_TERASORT(
            true,
            List.of(
                    "runs/2026-11-25-jobs/terasort-4g.json",
                    "runs/2026-11-26-jobs/terasort-4g.json"),
            13.93,
            new double[] {49.70, 18.20, 1.07, 4.42, 4.71},
            1.04,
            1.008),

    /** Sort's records with stock Hadoop. */
    STOCK_SORT(
            true,
            List.of("runs/2026-11-25-jobs/sort-4g.json", "runs/2026-11-26-jobs/sort-4g.json"),
            6.37,
            new double[] {10.78, 7.17, 0.512, 4.44, 4.80},
            1.001,
            1.010);

    private final boolean isStock;

    /** Immutable, as a list of strings is. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final List<String> files;

    /** A record of numbers and strings. */
    @SuppressWarnings("ImmutableEnumChecker")
    private final Calibration calibration;

    DefaultCosts(
            final boolean isStock,
            final List<String> files,
            final double copy,
            final double[] costs,
            final double ratio,
            final double output) {
        this.isStock = isStock;
        this.files = files;
        this.calibration =
                new Calibration(
                        name().replaceFirst("^STOCK_", "").toLowerCase(Locale.ROOT),
                        copy,
                        new CpuCosts(
                                costs[0],
                                costs[1],
                                costs[2],
                                Calibration.DEFAULT_PUT,
                                Calibration.DEFAULT_TAKE,
                                costs[3],
                                costs[4],
                                "docs/results: " + String.join(", ", files)),
                        ratio,
                        output);
    }

    /** Whether they are those of Hadoop's own sort and shuffle. */
    public boolean isStock() {
        return isStock;
    }

    /** The costs. */
    public Calibration calibration() {
        return calibration;
    }

    /** The files of docs/results that they are means of. */
    public List<String> files() {
        return files;
    }

    /** Whether a file, by the end of its path, is one of those they are from. */
    boolean isFrom(final String path) {
        return files.stream().anyMatch(path.replace('\\', '/')::endsWith);
    }

    /**
     * The costs of a workload's records; drain has TeraSort's.
     *
     * @param isStock with Hadoop's own sort and shuffle, else with Spillway
     */
    public static Optional<DefaultCosts> of(final String workload, final boolean isStock) {
        final String name = workload.equals("drain") ? "terasort" : workload;
        return Arrays.stream(values())
                .filter(costs -> costs.isStock == isStock)
                .filter(costs -> costs.calibration.workload().equals(name))
                .findFirst();
    }
}
