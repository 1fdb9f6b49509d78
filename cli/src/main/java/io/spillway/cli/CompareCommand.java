package io.spillway.cli;

import io.spillway.bench.BenchException;
import io.spillway.bench.cluster.ClusterSpec;
import io.spillway.bench.compare.Comparison;
import io.spillway.bench.compare.ComparisonResult;
import io.spillway.bench.compare.OutputCheck;
import io.spillway.bench.compare.Workload;
import io.spillway.bench.report.JobReports;
import io.spillway.bench.report.Machine;
import io.spillway.bench.run.MeasuredJobs;
import io.spillway.bench.site.HadoopRuntime;
import io.spillway.bench.site.InstalledHadoop;
import io.spillway.bench.site.WorkFolder;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Compares engines on a workload. */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = {
            "Runs a workload with each engine in turns, on the same data and with the same"
                    + " configuration; compares all outputs record by record (checksums of each"
                    + " part, row counts, order); prints medians and spread.",
            "",
            "Workloads: terasort; sort (records of random sizes in sequence files); wordcount and"
                    + " invertedindex (over Hadoop's own Java sources, repeated).",
            "Exit code 1 when outputs differ."
        },
        footer = {
            "",
            "Examples:",
            "  spillway compare terasort --size 4g --maps 16 --repeat 3",
            "  spillway compare wordcount --size 1g --engines spillway,stock",
            "  spillway compare sort --size 512m -D mapreduce.task.io.sort.mb=200 --out sort.json",
            "  spillway compare terasort --size 4g --engines stock,rdma,rdma-nvm,auto"
                    + " -D spillway.store.nvm.emulation.write=10",
            "  HADOOP_CONF_DIR=/etc/hadoop/conf spillway compare terasort --size 100g --reduces 64"
        })
final class CompareCommand implements Callable<Integer> {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private ClusterOptions clusterOptions;
    @Mixin private JobOptions jobOptions;

    @Parameters(
            paramLabel = "WORKLOAD",
            description = "terasort, sort, wordcount or invertedindex.")
    private String workload;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            required = true,
            converter = SizeConverter.class,
            description = "Size of the input, as 512m, 4g.")
    private long size;

    @Option(
            names = "--engines",
            paramLabel = "NAMES",
            defaultValue = "stock,spillway",
            description =
                    "Engines: stock; spillway, as it is installed; auto, rdma, rdma-nvm (its"
                            + " modes). Ratios are the first to the others (default:"
                            + " ${DEFAULT-VALUE}).")
    private String engines;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "1",
            description = "Runs of each engine (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(names = "--warmup", description = "One run of each engine first that does not count.")
    private boolean warmUp;

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

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "JSON with everything (default: a new file among the reports).")
    private Path file;

    @Option(
            names = "--name",
            paramLabel = "NAME",
            defaultValue = ClusterSpec.DEFAULT_NAME,
            description = "Local cluster to use if it runs (default: ${DEFAULT-VALUE}).")
    private String name;

    @Option(names = "--keep-logs", description = "Leaves the logs of a cluster started for this.")
    private boolean keepLogs;

    @Override
    public Integer call() {
        final Comparison.Plan plan =
                new Comparison.Plan(
                        Workload.parse(workload),
                        size,
                        EngineList.parse(engines),
                        repeat,
                        warmUp,
                        maps == null ? Comparison.Plan.mapsFor(size) : maps,
                        reduces,
                        Map.copyOf(jobOptions.properties()));
        final WorkFolder folder = work.folder();
        final Screen screen = new Screen(spec.commandLine().getErr());
        try (Sites.OpenSite open =
                new Sites(folder, screen)
                        .open(name, clusterOptions, "compare", cluster -> cluster, keepLogs)) {
            final JobReports reports = new JobReports(folder);
            final MeasuredJobs jobs = new MeasuredJobs(open.site(), screen, reports::save);
            final ComparisonResult result =
                    new Comparison(
                                    plan,
                                    jobs,
                                    () -> sources(folder, open, screen),
                                    OutputCheck.NONE)
                            .run();
            return print(result, Machine.thisOne(open.site().hadoopVersion()), folder);
        }
    }

    /**
     * The text is that of the local cluster's release; an installed one's may not be resolvable.
     */
    private static List<String> sources(
            final WorkFolder folder, final Sites.OpenSite open, final Screen screen) {
        final String version =
                open.site() instanceof InstalledHadoop
                        ? HadoopRuntime.DEFAULT_VERSION
                        : open.site().hadoopVersion();
        return HadoopRuntime.resolve(folder, version, screen::note)
                .sourceJars(screen::note)
                .stream()
                .map(Path::toString)
                .toList();
    }

    private int print(
            final ComparisonResult result, final Machine machine, final WorkFolder folder) {
        final Path json = write(result.json(machine), folder);
        final PrintWriter out = spec.commandLine().getOut();
        out.printf(
                Locale.ROOT,
                "%n%s of %.2f GB, %d maps, %d reduces, %d runs each; Hadoop %s, %d cores%n%n",
                workload,
                size / 1e9,
                result.copy().maps(),
                reduces,
                repeat,
                machine.hadoop(),
                machine.cores());
        out.print(result.table());
        out.println();
        out.println("JSON: " + json);
        result.disagreements().forEach(line -> out.println("WRONG: " + line));
        out.println(
                result.outputsAgree()
                        ? "Outputs agree: "
                                + result.outputRecords()
                                + " records in the same parts, sorted"
                                + (result.outputsIdentical() ? ", identical" : "")
                                + "."
                        : "Outputs do NOT agree.");
        out.flush();
        return result.outputsAgree() ? 0 : 1;
    }

    private Path write(final String json, final WorkFolder folder) {
        final Path target =
                file == null
                        ? folder.reports()
                                .resolve(
                                        "compare-"
                                                + workload
                                                + "-"
                                                + LocalDateTime.now(ZoneId.systemDefault())
                                                        .format(STAMP)
                                                + ".json")
                        : file.toAbsolutePath();
        try {
            Files.createDirectories(target.getParent());
            Files.writeString(target, json);
            return target;
        } catch (final IOException e) {
            throw new BenchException("cannot write " + target + ": " + e, e);
        }
    }
}
