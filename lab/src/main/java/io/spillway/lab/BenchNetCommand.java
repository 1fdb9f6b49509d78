// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.option.JobOptions;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.SizeConverter;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.HadoopRuntime;
import io.spillway.cli.site.OwnJar;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.job.LabJar;
import io.spillway.lab.mpi.Mpirun;
import io.spillway.lab.net.NetBenchmark;
import io.spillway.lab.net.NetPlan;
import io.spillway.lab.net.NetResult;
import io.spillway.lab.report.Machine;
import io.spillway.transport.NodeAddress;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures transports. */
@Command(
        name = "net",
        mixinStandardHelpOptions = true,
        description = {
            "Measures latency, bandwidth and CPU of Spillway's transports between two processes.",
            "",
            "One side asks for messages, the other sends them. With one message in flight the"
                    + " median time from request to answer is the latency; with several the bytes"
                    + " over the time are the bandwidth. Transports take turns at each size, so"
                    + " that whatever else the host does troubles all alike. Each message's first"
                    + " and last bytes are checked.",
            "",
            "--puts measures puts of map outputs into a node's memory instead, as a map puts them:"
                    + " first between two young processes, then between the same ones after a"
                    + " warm-up.",
            "",
            "On one host both processes are started; mpi has two ranks, and the client comes to"
                + " one, which asks the other. For two hosts start one side by --serve and the"
                + " other by --connect, with the secret that the first one prints (tcp and ucx).",
            "",
            "A folder holds all samples (net.csv) and the table (net.txt). What UCX and MPI carry"
                    + " by themselves: docs/results/net-others."
        },
        footer = {
            "",
            "Examples:",
            "  spillway bench net",
            "  spillway bench net --transports ucx -D spillway.ucx.tls=tcp --repeat 5",
            "  spillway bench net --transports mpi --mpirun mpiexec.mpich",
            "  spillway bench net --puts --sizes 64k",
            "  spillway bench net --transports ucx --serve 10.0.0.7:7000      on one host",
            "  spillway bench net --transports ucx --connect 10.0.0.7:7000 --secret SECRET"
        })
final class BenchNetCommand implements Callable<Integer> {
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private JobOptions properties;

    @Option(
            names = "--transports",
            paramLabel = "NAMES",
            split = ",",
            defaultValue = "tcp,ucx",
            description = "Some of tcp, ucx, mpi (default: ${DEFAULT-VALUE}).")
    private List<String> transports;

    @Option(
            names = Mpirun.OPTION,
            paramLabel = "NAME",
            defaultValue = Mpirun.ANY,
            description =
                    "The launcher of MPI, a command or a path; auto takes the first of"
                            + " mpirun.openmpi, mpirun, mpiexec.mpich and mpiexec (default:"
                            + " ${DEFAULT-VALUE}).")
    private String mpirun;

    @Option(
            names = "--sizes",
            paramLabel = "SIZES",
            split = ",",
            converter = SizeConverter.class,
            description =
                    "Bytes of a message, up to 16m (default: 1k,64k,256k,1m,8m); of a put's piece,"
                            + " powers of two from 1k to 64k (default: 64k).")
    private List<Long> sizes;

    @Option(
            names = "--windows",
            paramLabel = "NUMBERS",
            split = ",",
            defaultValue = "1,16",
            description = "Messages in flight (default: ${DEFAULT-VALUE}).")
    private List<Integer> windows;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "3",
            description = "Samples of each; medians are shown (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(
            names = "--millis",
            paramLabel = "N",
            defaultValue = "1000",
            description = "How long a sample of fetches takes (default: ${DEFAULT-VALUE}).")
    private int millis;

    @Option(names = "--puts", description = "Measures puts in place of fetches.")
    private boolean puts;

    @Option(
            names = "--put-bytes",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "1g",
            description =
                    "What a young process puts; twice that warms it up, and four times that"
                            + " follows. The other side needs half as much memory again (default:"
                            + " ${DEFAULT-VALUE}).")
    private long putBytes;

    @Option(
            names = "--heap",
            description = "Receives into arrays, as reducers do, and not into direct memory.")
    private boolean heap;

    @Option(
            names = "--one-place",
            description =
                    "Sends the same bytes again and again, from one place into one place, as"
                            + " ucx_perftest does: what little fits into the processor's cache"
                            + " stays there.")
    private boolean onePlace;

    @Option(
            names = "--serve",
            paramLabel = "HOST:PORT",
            description = "Serves another host until Ctrl-C: at this address of this host.")
    private String serve;

    @Option(
            names = "--connect",
            paramLabel = "HOST:PORT",
            description = "Measures between this host and one that serves there.")
    private String connect;

    @Option(names = "--secret", paramLabel = "DIGITS", description = "What --serve printed.")
    private String secret;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description = "Folder for all files (default: a new one among the reports).")
    private Path folder;

    @Override
    public Integer call() {
        requireTwoSides();
        final NetPlan plan = plan();
        final WorkFolder home = work.folder();
        final Path target = target(home);
        final Screen screen = Screen.of(spec);
        final String common = secret == null ? NetBenchmark.newSecret() : secret;
        try (NetBenchmark benchmark =
                new NetBenchmark(
                        classPath(home, screen),
                        target.resolve("logs"),
                        plan,
                        Optional.ofNullable(connect),
                        common)) {
            if (serve != null) {
                serve(benchmark, address("--serve", serve), common);
            }
            print(benchmark.run(screen), target);
        }
        return 0;
    }

    private void requireTwoSides() {
        if (serve != null && connect != null) {
            throw new BadInputException("--serve and --connect: expected one of them");
        }
        if (connect != null) {
            address("--connect", connect);
            if (secret == null || !secret.matches("([0-9a-fA-F]{2}){16,64}")) {
                throw new BadInputException(
                        "--connect: expected the --secret that --serve printed");
            }
        }
        final boolean isOne = transports.size() == 1 && !transports.contains("mpi");
        if ((serve != null || connect != null) && !isOne) {
            throw new BadInputException(
                    "--transports " + transports + ": expected tcp or ucx between two hosts");
        }
    }

    private static NodeAddress address(final String option, final String text) {
        try {
            return NodeAddress.parse(text);
        } catch (final IllegalArgumentException e) {
            throw new BadInputException(option + " " + text + ": expected HOST:PORT");
        }
    }

    private NetPlan plan() {
        return new NetPlan(
                transports,
                sizes != null
                        ? sizes
                        : puts
                                ? List.of(64L << 10)
                                : List.of(1L << 10, 64L << 10, 256L << 10, 1L << 20, 8L << 20),
                windows,
                repeat,
                millis,
                puts,
                putBytes,
                heap,
                onePlace,
                mpirun,
                Map.copyOf(properties.properties()));
    }

    private Path target(final WorkFolder home) {
        final String stamp = LocalDateTime.now(ZoneId.systemDefault()).format(STAMP);
        return folder == null ? home.reports().resolve("net-" + stamp) : folder.toAbsolutePath();
    }

    /** Of processes that measure: this build's jars, and those of a release of Hadoop. */
    static List<String> classPath(final WorkFolder home, final Screen screen) {
        final PlugIn plugIn = PlugIn.ofThisBuild();
        final List<String> entries =
                new ArrayList<>(
                        List.of(
                                plugIn.engine().toString(),
                                LabJar.path().toString(),
                                OwnJar.of(PlugIn.class).toString()));
        entries.addAll(
                HadoopRuntime.resolve(home, HadoopRuntime.DEFAULT_VERSION, screen::note)
                        .classPath());
        return entries;
    }

    private void serve(final NetBenchmark benchmark, final NodeAddress at, final String common) {
        final PrintWriter out = spec.commandLine().getOut();
        benchmark.serve(
                at.host(),
                at.port(),
                address -> {
                    out.println("Serving until Ctrl-C. On the other host:");
                    out.println(
                            String.format(
                                    "  spillway bench net --transports %s --connect %s --secret %s",
                                    transports.get(0), address, common));
                    out.flush();
                });
    }

    private void print(final NetResult result, final Path target) {
        final Machine machine = Machine.thisOne(HadoopRuntime.DEFAULT_VERSION);
        final List<Path> files = result.write(target, machine);
        final PrintWriter out = spec.commandLine().getOut();
        out.println();
        out.println(result.text(machine));
        files.forEach(file -> out.println("File: " + file));
        out.flush();
    }
}
