// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.option.Screen;
import io.spillway.cli.option.SizeConverter;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.report.Machine;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Compares engines on a workload. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        resourceBundle = WorkloadTexts.NAME,
        description = {
            "Runs a workload with each engine in turns, on the same data and with the same"
                + " configuration; compares all outputs record by record (checksums of each part,"
                + " row counts, order); prints medians and spread.",
            "",
            "Each round begins with a copy of the data without a shuffle; the cost of the others is"
                    + " given relative to it.",
            "What is measured is in the JSON after each run, and printed on Ctrl-C; --resume goes"
                    + " on from there.",
            "",
            "Workloads: see spillway workloads. Exit code 1 when outputs differ, or when one is"
                    + " wrong for its input."
        },
        footer = {
            "",
            "Examples:",
            "  spillway compare terasort --size 4g --maps 16 --repeat 3 --details",
            "  spillway compare terasort --size 4g --engines stock,stock-tuned,spillway",
            "  spillway compare wordcount --size 1g --engines spillway,stock",
            "  spillway compare sort --size 512m -D mapreduce.task.io.sort.mb=200 --out sort.json",
            "  spillway compare terasort --size 4g --engines stock,rdma,rdma-nvm,auto"
                    + " -D spillway.store.nvm.emulation.write=10",
            "  spillway compare drain --size 1g --maps 32 --engines stock,hadoop-a,static,auto",
            "  spillway compare terasort --size 1g --engines stock,rdma --transport ucx",
            "  spillway compare terasort --size 1g --engines rdma@tcp,rdma@ucx --repeat 5",
            "  spillway compare terasort --size 16g --out tera.json",
            "  spillway compare terasort --size 16g --out tera.json --resume",
            "  HADOOP_CONF_DIR=/etc/hadoop/conf spillway compare terasort --on installed --size"
                    + " 100g --reduces 64"
        })
public final class CompareCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private ComparisonOptions options;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            required = true,
            converter = SizeConverter.class,
            description = "Size of the input, as 512m, 4g.")
    private long size;

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "JSON with everything (default: a new file among the reports).")
    private Path file;

    @Option(names = "--details", description = "Every row, not only those that matter most.")
    private boolean details;

    @Override
    public Integer call() {
        options.requireNamed(file);
        final Comparison.Plan plan = options.plan(size);
        final Path json = target(plan);
        ResultFile.require(json);
        final Resumption resumption = options.resumption(json, plan);
        final Screen screen = Screen.of(spec);
        resumption.stopLeftCluster(options.folder(), screen);
        try (ComparisonSession session = options.open("compare", screen)) {
            session.confirm(plan);
            final int code = run(session, plan, resumption, json);
            resumption.end();
            return code;
        }
    }

    private int run(
            final ComparisonSession session,
            final Comparison.Plan plan,
            final Resumption resumption,
            final Path json) {
        final PrintWriter out = spec.commandLine().getOut();
        final Machine machine = session.machine();
        final ComparisonResult result;
        try (ResultFile file =
                new ResultFile(
                        json,
                        session::json,
                        part -> ComparisonSession.table(part, machine, details),
                        new ResumeLine(spec).with(json),
                        out)) {
            result = session.run(plan, resumption, file);
        }
        out.println();
        out.println(ComparisonSession.table(result, machine, details));
        out.println("JSON: " + json);
        out.print(ComparisonSession.verdict(result));
        out.flush();
        return result.outputsAgree() ? 0 : 1;
    }

    private Path target(final Comparison.Plan plan) {
        return file == null
                ? options.folder()
                        .reports()
                        .resolve(ComparisonSession.stamped("compare", plan) + ".json")
                : file.toAbsolutePath();
    }
}
