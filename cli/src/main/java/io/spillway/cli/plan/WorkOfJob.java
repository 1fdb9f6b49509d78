// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.plan.measured.Calibration;
import io.spillway.cli.plan.measured.DefaultCosts;
import io.spillway.cli.plan.model.PlanInput;
import picocli.CommandLine.Option;

/** What the job is: options of plan. */
final class WorkOfJob {
    @Option(
            names = "--data",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "0",
            description = "Input of the job, as 2t.")
    private long data;

    @Option(
            names = "--ratio",
            paramLabel = "X",
            description =
                    "Bytes of map output, compressed where the job compresses, for a byte of input"
                            + " (default: what was measured with the costs; 1.04 of terasort).")
    private Double ratio;

    @Option(
            names = "--output-ratio",
            paramLabel = "X",
            description = "Bytes of the job's output for a byte of input (default: as --ratio).")
    private Double output;

    @Option(
            names = "--split",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "256m",
            description = "Input of a map (default: ${DEFAULT-VALUE}).")
    private long split;

    @Option(
            names = "--reduces",
            paramLabel = "R",
            defaultValue = "0",
            description = "Number of reducers (default: half the slots).")
    private int reduces;

    @Option(
            names = "--copies",
            paramLabel = "N",
            defaultValue = "1",
            description = "Copies of an output in other nodes, 1 to 3 (default: ${DEFAULT-VALUE}).")
    private int copies;

    @Option(
            names = "--workload",
            paramLabel = "NAME",
            defaultValue = "terasort",
            description =
                    "Whose costs of a core to take, where --measured has none: terasort (records of"
                            + " 100 bytes) or sort (10 kB) (default: ${DEFAULT-VALUE}).")
    private String workload;

    /**
     * The costs that the project measured of the workload.
     *
     * @param isStock with Hadoop's own sort and shuffle, else with Spillway
     */
    Calibration calibration(final boolean isStock) {
        return DefaultCosts.of(workload, isStock)
                .map(DefaultCosts::calibration)
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "--workload "
                                                + workload
                                                + ": expected terasort or sort; for others give"
                                                + " --measured"));
    }

    /** What was given, and what was measured for the rest. */
    PlanInput.Job job(final Calibration measured) {
        final double known = ratio == null ? measured.ratio() : ratio;
        final double written = ratio == null ? measured.outputRatio() : ratio;
        return new PlanInput.Job(
                data, known, output == null ? written : output, split, reduces, copies);
    }
}
