// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan.measured;

import io.spillway.cli.plan.model.CpuCosts;
import io.spillway.cli.plan.model.PlanInput;
import io.spillway.cli.report.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The model's error: what it expects of runs that were measured. The speed of the machine and the
 * starts of tasks come from the copy without a shuffle of the run's round, the costs of the shuffle
 * from other results: nothing of the run itself but the size of its data. Immutable.
 *
 * @param rows a run each, in the order of the files
 * @param notes of what is not modelled
 */
public record PlanCheck(List<Row> rows, List<String> notes) {
    private static final String OPTION = "--check";
    private static final double PERCENT = 100;
    private static final long SPARE_BYTES = 4L << 30;

    /** Copies what is mutable. */
    public PlanCheck {
        rows = List.copyOf(rows);
        notes = List.copyOf(notes);
    }

    /**
     * A run.
     *
     * @param file that has it
     * @param workload by its name
     * @param engine as it was named
     * @param repeat from 1
     * @param expected wall time, seconds
     * @param measured wall time, seconds
     * @param isOwn whether the costs are from this file
     */
    public record Row(
            String file,
            String workload,
            String engine,
            int repeat,
            double expected,
            double measured,
            boolean isOwn) {
        /** How far off the expected time is, of the measured one; negative is too fast. */
        public double error() {
            return expected / measured - 1;
        }
    }

    /**
     * Checks the runs of comparisons.
     *
     * @param measured comparison whose costs to take in place of the project's own
     */
    public static PlanCheck of(final List<Path> files, final Optional<Path> measured) {
        final List<Row> rows = new ArrayList<>();
        final List<String> notes = new ArrayList<>();
        for (final Path path : files) {
            final CompareFile file = CompareFile.read(OPTION, path);
            for (final JobTimes run : file.runs()) {
                final Optional<ModelledEngine> engine = ModelledEngine.of(run.engine());
                if (engine.isEmpty()) {
                    notes.add(path + ": " + run.engine() + " is not modelled");
                    continue;
                }
                final boolean isStock = engine.get().isStock();
                final Optional<Calibration> costs =
                        measured.isPresent()
                                ? Calibration.find("--measured", measured.get(), isStock)
                                : DefaultCosts.of(file.workload(), isStock)
                                        .map(DefaultCosts::calibration);
                if (costs.isEmpty()) {
                    notes.add(
                            path
                                    + ": no costs of "
                                    + file.workload()
                                    + (isStock ? " on stock Hadoop" : "")
                                    + "; give --measured");
                } else {
                    rows.add(row(file, run, engine.get(), costs.get()));
                }
            }
        }
        return new PlanCheck(rows, notes.stream().distinct().toList());
    }

    private static Row row(
            final CompareFile file,
            final JobTimes run,
            final ModelledEngine engine,
            final Calibration calibration) {
        final CpuCosts costs = calibration.costsBy(file, file.copyOf(run));
        final PlanInput input = input(file, run, costs);
        final double expected = engine.forecast(input, file.hosts(), file.memoryNodes()).seconds();
        final boolean isOwn =
                calibration.costs().source().equals(file.name())
                        || DefaultCosts.of(file.workload(), engine.isStock())
                                .filter(known -> known.calibration().equals(calibration))
                                .filter(known -> known.isFrom(file.name()))
                                .isPresent();
        return new Row(
                file.name(),
                file.workload(),
                run.engine(),
                run.repeat(),
                expected,
                run.wall(),
                isOwn);
    }

    /** Hosts are processes of one machine; its disk and page cache are taken for fast enough. */
    private static PlanInput input(
            final CompareFile file, final JobTimes run, final CpuCosts costs) {
        final int slots = Math.max(1, file.slots() / file.hosts());
        final long tasks = slots * file.heapBytes() * 2;
        final double bytes = file.bytes();
        return new PlanInput(
                new PlanInput.Job(
                        file.bytes(),
                        run.mapOutputBytes() / bytes,
                        run.outputBytes() / bytes,
                        Math.max(1 << 20, (file.bytes() + run.maps() - 1) / run.maps()),
                        run.reduces(),
                        1),
                new PlanInput.Hosts(
                        file.hosts(),
                        (double) file.cores() / file.hosts(),
                        slots,
                        Math.max(file.memoryBytes() / file.hosts(), tasks + SPARE_BYTES),
                        0,
                        file.heapBytes(),
                        file.linkRate(),
                        Double.POSITIVE_INFINITY,
                        Double.POSITIVE_INFINITY,
                        0,
                        true),
                costs);
    }

    /** Errors of the runs whose costs are from other files, without their signs, in order. */
    private double[] errors() {
        return rows.stream()
                .filter(row -> !row.isOwn())
                .mapToDouble(row -> Math.abs(row.error()))
                .sorted()
                .toArray();
    }

    /** A table of all runs, and the error as a whole. */
    public String text() {
        final TextTable table =
                new TextTable(
                        "file",
                        "workload",
                        "engine",
                        "run",
                        "expected, s",
                        "measured, s",
                        "error, %");
        for (final Row row : rows) {
            table.row(
                    row.file(),
                    row.workload(),
                    row.engine() + (row.isOwn() ? " *" : ""),
                    String.valueOf(row.repeat()),
                    String.format(Locale.ROOT, "%.1f", row.expected()),
                    String.format(Locale.ROOT, "%.1f", row.measured()),
                    String.format(Locale.ROOT, "%.0f", row.error() * PERCENT));
        }
        final StringBuilder text = new StringBuilder(table.render());
        if (rows.stream().anyMatch(Row::isOwn)) {
            text.append("* the costs are from this file: no test of the model\n");
        }
        text.append(summary());
        notes.forEach(note -> text.append("Left out: ").append(note).append('\n'));
        return text.toString();
    }

    private String summary() {
        final double[] errors = errors();
        if (errors.length == 0) {
            return "No run to tell the error by.\n";
        }
        final double bias =
                rows.stream()
                        .filter(row -> !row.isOwn())
                        .mapToDouble(Row::error)
                        .average()
                        .orElse(0);
        final int last = errors.length - 1;
        return String.format(
                Locale.ROOT,
                "Error of %d other runs: median %.0f %%, mean %.0f %%, most %.0f %%; mean with its"
                        + " sign %.0f %%%n",
                errors.length,
                (errors[last / 2] + errors[(last + 1) / 2]) / 2 * PERCENT,
                Arrays.stream(errors).average().orElse(0) * PERCENT,
                errors[last] * PERCENT,
                bias * PERCENT);
    }
}
