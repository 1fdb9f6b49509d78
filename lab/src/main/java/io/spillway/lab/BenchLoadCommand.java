// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.load.LoadBenchmark;
import io.spillway.lab.load.LoadPlan;
import io.spillway.lab.load.LoadResult;
import io.spillway.lab.report.Machine;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Loads one node with very many tasks. */
@Command(
        name = "load",
        mixinStandardHelpOptions = true,
        description = {
            "Shows what very many tasks cost one node: throughput, time of a pass over all tasks,"
                    + " CPU, and the node's heap, memory outside it, resident set and descriptors.",
            "",
            "The tasks are simulated, in one process. Each opens a tcp connection to the node,"
                    + " which is another process of this host, proves itself, puts or fetches its"
                    + " segments, compares their bytes with their checksums and closes.",
            "",
            "Stages: maps put their outputs into the node's memory; reducers fetch them; four"
                    + " outputs of three runs and a segment for each reducer in turns are put and"
                    + " committed; these reducers ask for their 12 segments in the order of their"
                    + " numbers; then for their segments of outputs on disk; then a tenth of them"
                    + " in random order, which no cache of indices serves.",
            "",
            "With a heap of 1 GB each, the two processes take about twice the bytes of all outputs"
                    + " of the maps. A folder holds the table (load.txt), all figures (load.json),"
                    + " the logs and, until the end, the outputs on disk."
        },
        footer = {
            "",
            "Examples:",
            "  spillway bench load",
            "  spillway bench load --maps 200 --turns 10000",
            "  spillway bench load --at-a-time 2000 -D spillway.node.index.bytes=8m"
        })
final class BenchLoadCommand implements Callable<Integer> {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private JobOptions properties;

    @Option(
            names = "--maps",
            paramLabel = "N",
            defaultValue = "2000",
            description = "Maps that put an output each (default: ${DEFAULT-VALUE}).")
    private int maps;

    @Option(
            names = "--reducers",
            paramLabel = "N",
            defaultValue = "200",
            description = "Reducers that fetch these outputs (default: ${DEFAULT-VALUE}).")
    private int reducers;

    @Option(
            names = "--segment",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "4k",
            description =
                    "Bytes of what a map has for one of these reducers"
                            + " (default: ${DEFAULT-VALUE}).")
    private long segment;

    @Option(
            names = "--turns",
            paramLabel = "N",
            defaultValue = "100000",
            description = "Reducers that ask in turns (default: ${DEFAULT-VALUE}).")
    private int turns;

    @Option(
            names = "--files",
            paramLabel = "N",
            defaultValue = "20",
            description =
                    "Outputs on disk that each of them asks for: the node's memory for indices is"
                            + " to hold fewer (default: ${DEFAULT-VALUE}).")
    private int files;

    @Option(
            names = "--at-a-time",
            paramLabel = "N",
            defaultValue = "200",
            description = "Tasks that are connected at a time (default: ${DEFAULT-VALUE}).")
    private int atATime;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for all files (default: a new one among the reports).")
    private Path folder;

    @Override
    public Integer call() {
        final LoadPlan plan =
                new LoadPlan(
                        maps,
                        reducers,
                        (int) Math.min(Integer.MAX_VALUE, segment),
                        turns,
                        files,
                        atATime,
                        Map.copyOf(properties.properties()));
        final WorkFolder home = work.folder();
        final Path target = target(home);
        final Screen screen = Screen.of(spec);
        final List<String> classPath = BenchNetCommand.classPath(home, screen);
        return print(new LoadBenchmark(classPath, target, plan).run(screen), target);
    }

    private int print(final LoadResult result, final Path target) {
        final Machine machine = Machine.thisOne(HadoopRuntime.DEFAULT_VERSION);
        final List<Path> written = result.write(target, machine);
        final PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.println(result.text(machine));
        written.forEach(file -> out.println("File: " + file));
        out.flush();
        return 0;
    }

    private Path target(final WorkFolder home) {
        final String stamp = LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);
        return folder == null ? home.reports().resolve("load-" + stamp) : folder.toAbsolutePath();
    }
}
