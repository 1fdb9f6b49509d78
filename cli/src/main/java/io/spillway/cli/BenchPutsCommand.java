package io.spillway.cli;

import io.spillway.bench.BadInputException;
import io.spillway.bench.net.TransportVariant;
import io.spillway.bench.net.put.PutBenchmark;
import io.spillway.bench.net.put.PutPlan;
import io.spillway.bench.net.put.PutResult;
import io.spillway.bench.report.Machine;
import io.spillway.bench.site.HadoopRuntime;
import io.spillway.bench.site.WorkFolder;
import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.option.WorkOptions;
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

/** Measures puts into a node's memory. */
@Command(
        name = "puts",
        mixinStandardHelpOptions = true,
        description = {
            "Measures what putting map outputs into a memory node costs, in CPU seconds of each"
                    + " side for a GB (10^9 bytes): a process that puts as a map does, and one that"
                    + " keeps the bytes in memory as a memory node does, on this host.",
            "",
            "Each sample starts both anew. The first bytes show what a young JVM and memory that"
                    + " was never used cost; then there is a warm-up, and what is put after it"
                    + " shows the code compiled and the memory used again. Ways take turns, and"
                    + " medians over the rounds are shown.",
            "",
            "A folder holds the table (puts.txt) and all samples (puts.json)."
        },
        footer = {
            "",
            "Examples:",
            "  spillway bench puts",
            "  spillway bench puts --transports tcp --pieces 64k --rounds 9"
        })
final class BenchPutsCommand implements Callable<Integer> {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private JobOptions properties;

    @Option(
            names = "--transports",
            paramLabel = "NAMES",
            split = ",",
            defaultValue = "tcp,ucx/default",
            description =
                    "tcp, and ucx with its transports as bench net names them; puts of ucx travel"
                            + " over its tcp connection (default: ${DEFAULT-VALUE}).")
    private List<String> transports;

    @Option(
            names = "--pieces",
            paramLabel = "SIZES",
            split = ",",
            converter = SizeConverter.class,
            defaultValue = "4k,16k,64k",
            description =
                    "Bytes of a piece, which are those of an output's block: powers of two from 1k"
                            + " to 64k (default: ${DEFAULT-VALUE}).")
    private List<Long> pieces;

    @Option(
            names = "--rounds",
            paramLabel = "N",
            defaultValue = "5",
            description = "Samples of each; medians are shown (default: ${DEFAULT-VALUE}).")
    private int rounds;

    @Option(
            names = "--first",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "1g",
            description =
                    "What is put first; the receiving side needs half as much memory again"
                            + " (default: ${DEFAULT-VALUE}).")
    private long first;

    @Option(
            names = "--warm-up",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "2g",
            description = "What is put then (default: ${DEFAULT-VALUE}).")
    private long warmUp;

    @Option(
            names = "--size",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "4g",
            description = "What is put after the warm-up (default: ${DEFAULT-VALUE}).")
    private long size;

    @Option(
            names = "--hadoop",
            paramLabel = "VERSION",
            defaultValue = HadoopRuntime.DEFAULT_VERSION,
            description = "The release whose Netty is used (default: ${DEFAULT-VALUE}).")
    private String hadoop;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for all files (default: a new one among the reports).")
    private Path folder;

    @Override
    public Integer call() {
        final PutPlan plan =
                new PutPlan(
                        transports.stream().map(TransportVariant::parse).toList(),
                        pieces.stream().map(BenchPutsCommand::piece).toList(),
                        rounds,
                        first,
                        warmUp,
                        size,
                        Map.copyOf(properties.properties()));
        final WorkFolder home = work.folder();
        final Path target = target(home);
        final Screen screen = Screen.of(spec);
        final List<String> classPath = BenchNetCommand.classPath(home, hadoop, screen);
        return print(new PutBenchmark(classPath, target.resolve("logs"), plan).run(screen), target);
    }

    private static int piece(final long size) {
        if (size > Integer.MAX_VALUE) {
            throw new BadInputException("--pieces " + size + ": expected at most 64k");
        }
        return (int) size;
    }

    private int print(final PutResult result, final Path target) {
        final Machine machine = Machine.thisOne(hadoop);
        final List<Path> files = result.write(target, machine);
        final PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.println(result.text(machine));
        files.forEach(file -> out.println("File: " + file));
        out.flush();
        return 0;
    }

    private Path target(final WorkFolder home) {
        final String stamp = LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);
        return folder == null ? home.reports().resolve("puts-" + stamp) : folder.toAbsolutePath();
    }
}
