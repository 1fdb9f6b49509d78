package io.spillway.cli;

import io.spillway.bench.compare.Comparison;
import io.spillway.bench.compare.ComparisonResult;
import io.spillway.bench.compare.TeraCheck;
import io.spillway.bench.compare.Workload;
import io.spillway.bench.engine.Contender;
import io.spillway.bench.engine.Engine;
import io.spillway.bench.report.JobReports;
import io.spillway.bench.run.MeasuredJobs;
import io.spillway.bench.site.WorkFolder;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what Spillway does, on this machine. */
@Command(
        name = "demo",
        mixinStandardHelpOptions = true,
        description = {
            "Starts a cluster, sorts the same data with stock Hadoop and with Spillway, has Hadoop"
                    + " validate both outputs, compares them, and prints where the time went.",
            "",
            "Exit code 1 when an output is wrong or the two differ."
        },
        footer = {
            "",
            "Examples:",
            "  spillway demo",
            "  spillway demo --size 256m --maps 8",
            "  spillway demo --size 4g --hadoop 3.4.2 --fs hdfs"
        })
final class DemoCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private ClusterOptions clusterOptions;
    @Mixin private JobOptions jobOptions;
    @Mixin private TransportOptions transport;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            defaultValue = "1g",
            converter = SizeConverter.class,
            description = "Data to sort, as 256m, 1g (default: ${DEFAULT-VALUE}).")
    private long size;

    @Option(
            names = "--maps",
            paramLabel = "M",
            description = "Number of maps (default: one for 256m, at least 4).")
    private Integer maps;

    @Option(
            names = "--reduces",
            paramLabel = "R",
            defaultValue = "2",
            description = "Number of reduces (default: ${DEFAULT-VALUE}).")
    private int reduces;

    @Option(names = "--keep-logs", description = "Leaves the cluster's logs.")
    private boolean keepLogs;

    @Override
    public Integer call() {
        final Comparison.Plan plan =
                new Comparison.Plan(
                        Workload.TERASORT,
                        size,
                        List.of(Contender.of(Engine.STOCK), Contender.of(Engine.SPILLWAY)),
                        1,
                        false,
                        maps == null ? Comparison.Plan.mapsFor(size) : maps,
                        reduces,
                        transport.with(jobOptions.properties()));
        final WorkFolder folder = work.folder();
        Comparison.requireSpace(plan, folder.root());
        final Screen screen = new Screen(spec.commandLine().getErr());
        try (Sites.OpenSite open =
                new Sites(folder, screen)
                        .startNew(clusterOptions, "demo", transport::apply, keepLogs)) {
            final JobReports reports = new JobReports(folder);
            final MeasuredJobs jobs = new MeasuredJobs(open.site(), screen, reports::save);
            final TeraCheck check = new TeraCheck(jobs);
            final ComparisonResult result = new Comparison(plan, jobs, List::of, check).run();
            return print(result, check, folder);
        }
    }

    private int print(
            final ComparisonResult result, final TeraCheck check, final WorkFolder folder) {
        final PrintWriter out = spec.commandLine().getOut();
        final List<String> problems = new ArrayList<>(check.problems());
        problems.addAll(result.disagreements());
        out.println();
        out.printf(
                Locale.ROOT,
                "TeraSort of %.2f GB, %d maps, %d reduces%n%n",
                size / 1e9,
                result.copy().maps(),
                reduces);
        out.print(result.table());
        out.println();
        out.println("Shuffle tax: CPU seconds a GB of input beyond a copy without a shuffle.");
        out.println("Reports of each job: " + folder.reports());
        out.println();
        problems.forEach(problem -> out.println("WRONG: " + problem));
        final boolean identical = problems.isEmpty() && result.outputsIdentical();
        if (identical) {
            out.printf(
                    "Outputs are identical: %d records, TeraValidate finds both in order, with the"
                            + " input's checksum %s.%n",
                    result.outputRecords(), check.inputChecksum());
        } else {
            out.println("Outputs are NOT identical.");
        }
        out.flush();
        return identical ? 0 : 1;
    }
}
