// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.plan;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.plan.measured.Calibration;
import io.spillway.cli.plan.measured.PlanCheck;
import io.spillway.cli.plan.model.Forecast;
import io.spillway.cli.plan.model.MemoryPlan;
import io.spillway.cli.plan.model.PlanInput;
import io.spillway.cli.plan.model.PlanModel;
import io.spillway.cli.plan.model.PlanReport;
import io.spillway.cli.report.LinePlot;
import io.spillway.conf.Placement;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Computes how many memory nodes a job is worth. */
@Command(
        name = "plan",
        mixinStandardHelpOptions = true,
        description = {
            "Computes what a job will take with each number of memory nodes: which placement of map"
                    + " outputs is best, what does not fit into memory, what bounds the time. Runs"
                    + " nothing, and needs no cluster.",
            "",
            "A memory node stores and computes nothing: of a fixed number of hosts, each one makes"
                + " room and takes cores away. The best number is where they balance. Prints the"
                + " settings for it.",
            "",
            "--measured takes figures of your own machines in place of the project's: the JSON of"
                + " compare (what a core takes for a GB, starts of tasks, ratios). --check computes"
                + " what the model expects of runs that were measured, and how far off that is: do"
                + " so with a small run of yours before you believe a plan.",
            "",
            "The model, its assumptions and its error: docs/plan.md. Sizes are in powers of 1024."
        },
        footer = {
            "",
            "Examples:",
            "  spillway plan --data 2t --hosts 64 --memory 128g --link 100gbit --disk 500m",
            "  spillway plan --data 1t --hosts 36 --cores 16 --slots 4 --memory 32g --link 40gbit"
                    + " --disk none --shared-disk 5g",
            "  spillway plan --data 500g --hosts 16 --memory 64g --link 10gbit --disk 300m"
                    + " --extra-nodes 8 --copies 2",
            "  spillway plan --data 2t --hosts 64 --memory 128g --link 100gbit --disk 500m"
                    + " --measured tera.json --plot nodes.svg",
            "  spillway plan --check docs/results/edges-4g/after-1.json"
        })
public final class PlanCommand implements Callable<Integer> {
    private static final String SVG = ".svg";
    private static final String PNG = ".png";

    @Spec private CommandSpec spec;
    @Mixin private WorkOfJob job;
    @Mixin private HostOptions hosts;

    @Option(
            names = "--memory-nodes",
            paramLabel = "N",
            description = "Most memory nodes out of the hosts (default: half of the hosts).")
    private Integer most;

    @Option(
            names = "--extra-nodes",
            paramLabel = "N",
            description = "Most memory nodes beside the hosts, which all compute.")
    private Integer extra;

    @Option(
            names = "--placement",
            paramLabel = "NAMES",
            split = ",",
            description =
                    "Only these: local, ramdisk, every-node, dedicated, auto (default: all; ramdisk"
                            + " and local are the same here).")
    private List<String> placements;

    @Option(
            names = "--measured",
            paramLabel = "FILE",
            description = "Figures of a machine: the JSON of compare.")
    private Path measured;

    @Option(
            names = "--check",
            paramLabel = "FILES",
            arity = "1..*",
            description =
                    "JSON of compare: prints what the model expects of its runs, what they took,"
                            + " and the error.")
    private List<Path> checked;

    @Option(
            names = "--plot",
            paramLabel = "FILE",
            description = "Time by number of memory nodes, as .svg or .png.")
    private Path plot;

    @Override
    public Integer call() {
        if (checked != null) {
            print(PlanCheck.of(checked, Optional.ofNullable(measured)).text());
            return 0;
        }
        requirePlot();
        final Calibration costs =
                measured == null
                        ? job.calibration(false)
                        : Calibration.read("--measured", measured);
        final PlanReport report = new PlanReport(plan(costs), stock(costs));
        print(report.text());
        if (plot != null) {
            draw(report);
        }
        return 0;
    }

    private MemoryPlan plan(final Calibration costs) {
        if (most != null && extra != null) {
            throw new BadInputException("--memory-nodes and --extra-nodes: expected one of them");
        }
        final PlanInput input = new PlanInput(job.job(costs), hosts.hosts(), costs.costs());
        final int number = input.hosts().number();
        final int nodes = extra != null ? extra : most != null ? most : number / 2;
        final int bound = extra != null ? number * 4 : number - 1;
        if (nodes < 0 || nodes > bound) {
            throw new BadInputException(
                    (extra != null ? "--extra-nodes " : "--memory-nodes ")
                            + nodes
                            + ": expected 0 to "
                            + bound
                            + " with --hosts "
                            + number);
        }
        return MemoryPlan.of(input, nodes, extra != null, placements());
    }

    /** What the job takes on all hosts with stock Hadoop, where its costs are known. */
    private Optional<Forecast> stock(final Calibration costs) {
        final Optional<Calibration> known =
                measured == null
                        ? Optional.of(job.calibration(true))
                        : Calibration.find("--measured", measured, true);
        return known.map(stock -> stock.costsOnMachineOf(costs))
                .map(own -> new PlanInput(job.job(costs), hosts.hosts(), own))
                .map(input -> PlanModel.stock(input, input.hosts().number()));
    }

    private Set<Placement> placements() {
        if (placements == null) {
            return EnumSet.complementOf(EnumSet.of(Placement.RAMDISK));
        }
        final Set<Placement> wanted = EnumSet.noneOf(Placement.class);
        for (final String name : placements) {
            wanted.add(placement(name));
        }
        return wanted;
    }

    private static Placement placement(final String name) {
        for (final Placement placement : Placement.values()) {
            if (placement.text().equalsIgnoreCase(name.trim())) {
                return placement;
            }
        }
        throw new BadInputException(
                "--placement " + name + ": expected some of " + List.of(Placement.values()));
    }

    // ---- what comes out ------------------------------------------------------------------------

    private void print(final String text) {
        final PrintWriter out = spec.commandLine().getOut();
        out.print(text);
        out.flush();
    }

    private void requirePlot() {
        if (plot != null && !plot.toString().endsWith(SVG) && !plot.toString().endsWith(PNG)) {
            throw new BadInputException("--plot " + plot + ": expected a name with .svg or .png");
        }
    }

    private void draw(final PlanReport report) {
        final List<LinePlot> plots = report.plots();
        plots.forEach(lines -> lines.writeOne(plot.toAbsolutePath()));
        print(plots.isEmpty() ? "No plot: nothing fits.\n" : "Plot: " + plot + "\n");
    }
}
