// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.site.WholeFile;
import io.spillway.conf.Sizes;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.ScaleResult;
import io.spillway.lab.report.Machine;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares engines on a workload at several sizes. */
@Command(
        name = "scale",
        mixinStandardHelpOptions = true,
        resourceBundle = WorkloadTexts.NAME,
        description = {
            "Compares engines on a workload at several sizes, as compare does at one, and draws a"
                    + " reducer's peak memory and the time from the last map's end to the job's"
                    + " end against the size of the input.",
            "",
            "A folder holds for each size its table and its JSON (1g.txt, 1g.json), the points"
                    + " drawn (scale.json), and the plots memory and tail as SVG and PNG. Memory is"
                    + " the physical memory that Hadoop's counters tell of any engine's reducers,"
                    + " and the shuffle buffer, with its budget, that Spillway's tell themselves.",
            "",
            "What is measured is kept after each run; --resume goes on from there.",
            "",
            "Workloads: as for compare. Exit code 1 when outputs differ, or when one is wrong"
                    + " for its input."
        },
        footer = {
            "",
            "Examples:",
            "  spillway scale terasort --sizes 1g,4g,8g --engines stock,auto",
            "  spillway scale drain --sizes 512m,2g --engines static,auto --repeat 3 --out drain"
        })
public final class ScaleCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private ComparisonOptions options;

    @Option(
            names = "--sizes",
            paramLabel = "SIZES",
            required = true,
            split = ",",
            converter = SizeConverter.class,
            description = "Sizes of the input, as 1g,4g,8g.")
    private List<Long> sizes;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for all files (default: a new one among the reports).")
    private Path folder;

    @Override
    public Integer call() {
        options.requireNamed(folder);
        final List<Comparison.Plan> plans = plans();
        final Path target =
                folder == null
                        ? options.folder()
                                .reports()
                                .resolve(ComparisonSession.stamped("scale", plans.get(0)))
                        : folder.toAbsolutePath();
        final List<Resumption> resumptions =
                plans.stream().map(plan -> options.resumption(json(target, plan), plan)).toList();
        final Screen screen = Screen.of(spec);
        resumptions.forEach(left -> left.stopLeftCluster(options.folder(), screen));
        try (ComparisonSession session = options.open("scale", screen)) {
            plans.forEach(session::requireSpace);
            plans.forEach(session::confirm);
            final int code = run(session, plans, resumptions, target, screen);
            resumptions.forEach(Resumption::end);
            return code;
        }
    }

    /** Refuses wrong sizes before anything starts. */
    private List<Comparison.Plan> plans() {
        final Set<Long> seen = new HashSet<>();
        final List<Comparison.Plan> plans = new ArrayList<>();
        for (final long size : sizes) {
            if (!seen.add(size)) {
                throw new BadInputException(
                        "--sizes " + Sizes.format(size) + ": expected each size once");
            }
            plans.add(options.plan(size));
        }
        return plans;
    }

    /** What is done is kept, size by size, whatever becomes of the next. */
    private int run(
            final ComparisonSession session,
            final List<Comparison.Plan> plans,
            final List<Resumption> resumptions,
            final Path target,
            final Screen screen) {
        final Machine machine = session.machine();
        ScaleResult scale =
                ScaleResult.of(plans.get(0).workload(), plans.get(0).reduces(), machine);
        boolean agree = true;
        for (int index = 0; index < plans.size(); index++) {
            final Comparison.Plan plan = plans.get(index);
            screen.note(
                    "Size "
                            + Sizes.format(plan.bytes())
                            + " ("
                            + (index + 1)
                            + " of "
                            + plans.size()
                            + ")");
            final ComparisonResult result = runOne(session, plan, resumptions.get(index), target);
            print(result, machine, target);
            agree &= result.outputsAgree();
            scale = scale.with(result);
            WholeFile.write(target.resolve("scale.json"), scale.json());
        }
        final PrintWriter out = spec.commandLine().getOut();
        out.println();
        scale.plot(target).forEach(file -> out.println("Plot: " + file));
        out.println("All files: " + target);
        out.flush();
        return agree ? 0 : 1;
    }

    private static Path json(final Path target, final Comparison.Plan plan) {
        return target.resolve(Sizes.format(plan.bytes()) + ".json");
    }

    /** One size, whose runs are kept one by one. */
    private ComparisonResult runOne(
            final ComparisonSession session,
            final Comparison.Plan plan,
            final Resumption resumption,
            final Path target) {
        final Machine machine = session.machine();
        final Path json = json(target, plan);
        ResultFile.require(json);
        try (ResultFile file =
                new ResultFile(
                        json,
                        session::json,
                        part -> ComparisonSession.table(part, machine, true),
                        new ResumeLine(spec).with(target),
                        spec.commandLine().getOut())) {
            return session.run(plan, resumption, file);
        }
    }

    private void print(final ComparisonResult result, final Machine machine, final Path target) {
        final String name = Sizes.format(result.plan().bytes());
        final String text =
                ComparisonSession.table(result, machine, true)
                        + "\n"
                        + ComparisonSession.verdict(result);
        WholeFile.write(target.resolve(name + ".txt"), text);
        final PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.print(text);
        out.flush();
    }
}
