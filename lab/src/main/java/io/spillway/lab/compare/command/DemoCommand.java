// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.option.TransportOptions;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.place.OpenPlace;
import io.spillway.cli.report.JobReports;
import io.spillway.cli.run.Engine;
import io.spillway.cli.run.MeasuredJobs;
import io.spillway.cli.site.WholeFile;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.compare.ComparisonResult;
import io.spillway.lab.compare.TeraCheck;
import io.spillway.lab.compare.workload.TeraSortWorkload;
import io.spillway.lab.engine.EngineConfig;
import io.spillway.lab.place.ClusterOptions;
import io.spillway.lab.place.ServedTransport;
import io.spillway.lab.place.Sites;
import io.spillway.lab.report.Machine;
import io.spillway.lab.report.PlaceFacts;
import java.io.PrintWriter;
import java.nio.file.Path;
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
public final class DemoCommand implements Callable<Integer> {
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

    @Option(names = "--details", description = "Every row, not only those that matter most.")
    private boolean details;

    @Option(names = "--keep-logs", description = "Leaves the cluster's logs.")
    private boolean keepLogs;

    @Override
    public Integer call() {
        final Comparison.Plan plan =
                new Comparison.Plan(
                        new TeraSortWorkload(),
                        size,
                        List.of(EngineConfig.of(Engine.STOCK), EngineConfig.of(Engine.SPILLWAY)),
                        1,
                        false,
                        maps == null ? Comparison.Plan.mapsFor(size) : maps,
                        reduces,
                        transport.with(jobOptions.properties()));
        final WorkFolder folder = work.folder();
        Comparison.requireSpace(plan, folder.root());
        final Screen screen = Screen.of(spec);
        try (OpenPlace open =
                new Sites(folder, screen)
                        .startNew(
                                clusterOptions,
                                "demo",
                                spec -> ServedTransport.of(transport.given(), spec),
                                keepLogs)) {
            final JobReports reports = new JobReports(folder);
            final MeasuredJobs jobs = new MeasuredJobs(open.site(), screen, reports::save);
            final TeraCheck check = new TeraCheck(jobs);
            final ComparisonResult result =
                    new Comparison(plan, jobs, List::of, check).run(soFar -> {});
            final Machine machine = Machine.of(open.site());
            final Path json =
                    folder.reports().resolve(ComparisonSession.stamped("demo", plan) + ".json");
            WholeFile.write(json, result.json(machine, PlaceFacts.of(open.site())));
            return print(result, machine, check, json);
        }
    }

    private int print(
            final ComparisonResult result,
            final Machine machine,
            final TeraCheck check,
            final Path json) {
        final PrintWriter out = spec.commandLine().getOut();
        final List<String> problems = new ArrayList<>(check.problems());
        problems.addAll(result.disagreements());
        out.println();
        out.printf(
                Locale.ROOT,
                "TeraSort of %.2f GB, %d maps, %d reduces%s%n%n",
                size / 1e9,
                result.maps(),
                reduces,
                machine.emulationNote());
        out.print(result.table(details));
        out.println();
        out.println("Copy: the same job without a shuffle. Tax: CPU beyond it, a GB of input.");
        out.println("Everything else: " + json + (details ? "" : ", or --details"));
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
        out.println();
        out.println("What to try next:");
        out.println(
                "  ./spillway compare wordcount --size 1g      another workload, with a combiner");
        out.println("  ./spillway run terasort IN OUT              any job or jar, with Spillway");
        out.println(
                "  ./spillway conf                             what a cluster of your own needs");
        out.flush();
        return identical ? 0 : 1;
    }
}
