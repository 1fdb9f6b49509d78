package io.spillway.cli;

import io.spillway.bench.BadInputException;
import io.spillway.bench.mpi.Mpirun;
import io.spillway.bench.net.NetBenchmark;
import io.spillway.bench.net.NetPlan;
import io.spillway.bench.net.NetResult;
import io.spillway.bench.net.TransportVariant;
import io.spillway.bench.report.Machine;
import io.spillway.bench.site.HadoopRuntime;
import io.spillway.bench.site.PlugIn;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
            "Measures latency and bandwidth of Spillway's transports between two processes, next to"
                    + " raw sockets (blocking NIO, one thread, no protocol) and to UCX's own"
                    + " ucx_perftest with the same settings of UCX.",
            "",
            "One side asks for messages, the other sends them. With one message in flight the"
                    + " median time from request to answer is the latency; with several the bytes"
                    + " over the time are the bandwidth. Ways take turns at each size, so that"
                    + " whatever else the host does troubles all alike. Each message's first and"
                    + " last bytes are checked.",
            "",
            "On one host both processes are started. For two hosts start one side by --serve and"
                    + " the other by --connect, with the secret that the first one prints.",
            "",
            "A folder holds all samples (net.csv), the tables (net.txt) and the plots latency and"
                    + " bandwidth as SVG and PNG.",
            "",
            "ucx_perftest's latency is that of a small message and of a large one, one way each, as"
                    + " a request and its answer; its bandwidth is a stream one way. It spins on a"
                    + " core each side: look at the CPU table too.",
            "",
            "mpi is measured on one host, as a task has it: the client comes to its rank, which"
                + " fetches from another one. Beside it 'mpi library' is a program in C with two"
                + " ranks: with one message in flight a small message and a large one, one way"
                + " each; with several a stream one way. 'SEMem's way' has one blocking request a"
                + " segment, whatever is in flight elsewhere. mpi.json has the ratios."
        },
        footer = {
            "",
            "Examples:",
            "  spillway bench net",
            "  spillway bench net --transports tcp --sizes 256k,1m --windows 4 --seconds 20",
            "  spillway bench net --ucx-tls tcp,posix+cma --repeat 5",
            "  spillway bench net --transports ucx --one-place     as ucx_perftest goes about it",
            "  spillway bench net --transports mpi --mpirun mpiexec.mpich",
            "  spillway bench net --from file --into heap     as a reducer reads from a disk",
            "  spillway bench net --serve 10.0.0.7:7000       on one host, then on the other:",
            "  spillway bench net --connect 10.0.0.7:7000 --secret SECRET --ucx-tls default"
                    + " -D spillway.ucx.net-devices=mlx5_0:1"
        })
final class BenchNetCommand implements Callable<Integer> {
    private static final int IDLE_SECONDS = 30;
    private static final DateTimeFormatter STAMP = DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss");

    /** Which transports to measure. */
    enum Transports {
        /** Every one. */
        ALL,
        /** Sockets. */
        TCP,
        /** UCX. */
        UCX,
        /** MPI. */
        MPI
    }

    /** Where bytes come from. */
    enum From {
        /** Memory outside the heap, as outputs that are read ahead lie in. */
        MEMORY,
        /** A file. */
        FILE
    }

    /** Where bytes go to. */
    enum Into {
        /** Memory outside the heap. */
        DIRECT,
        /** Arrays, as a reducer's. */
        HEAP
    }

    @Spec private CommandSpec spec;
    @Mixin private WorkOptions work;
    @Mixin private JobOptions properties;

    @Option(
            names = "--transports",
            paramLabel = "NAME",
            defaultValue = "ALL",
            description = "all, tcp, ucx or mpi (default: ${DEFAULT-VALUE}).")
    private Transports transports;

    @Option(
            names = "--ucx-tls",
            paramLabel = "LISTS",
            split = ",",
            defaultValue = "tcp,posix+sysv+self",
            description =
                    "UCX's transports: measures ucx with each of these, joined by + where several"
                            + " are used at a time; default is all but"
                            + " tcp, as for jobs (default: ${DEFAULT-VALUE}).")
    private List<String> tls;

    @Option(
            names = Mpirun.OPTION,
            paramLabel = "NAME",
            defaultValue = Mpirun.ANY,
            description =
                    "The launcher of MPI, a command or a path; its mpicc is taken from beside it."
                            + " auto takes the first of mpirun.openmpi, mpirun, mpiexec.mpich and"
                            + " mpiexec (default: ${DEFAULT-VALUE}).")
    private String mpirun;

    @Option(
            names = "--sizes",
            paramLabel = "SIZES",
            split = ",",
            converter = SizeConverter.class,
            defaultValue = "1k,8k,64k,256k,1m,8m",
            description = "Bytes of a message, up to 16m (default: ${DEFAULT-VALUE}).")
    private List<Long> sizes;

    @Option(
            names = "--windows",
            paramLabel = "NUMBERS",
            split = ",",
            defaultValue = "1,4,16",
            description = "Messages in flight (default: ${DEFAULT-VALUE}).")
    private List<Integer> windows;

    @Option(
            names = "--repeat",
            paramLabel = "N",
            defaultValue = "3",
            description = "Samples of each; medians are shown (default: ${DEFAULT-VALUE}).")
    private int repeat;

    @Option(
            names = "--seconds",
            paramLabel = "N",
            defaultValue = "100",
            description =
                    "About how long all samples take together; processes take their time to start"
                            + " beside (default: ${DEFAULT-VALUE}).")
    private int seconds;

    @Option(
            names = "--data",
            paramLabel = "SIZE",
            converter = SizeConverter.class,
            defaultValue = "16m",
            description =
                    "What is sent again and again; more than the processor's cache holds shows what"
                            + " memory gives (default: ${DEFAULT-VALUE}).")
    private long data;

    @Option(
            names = "--from",
            paramLabel = "PLACE",
            defaultValue = "MEMORY",
            description = "memory or file (default: ${DEFAULT-VALUE}).")
    private From from;

    @Option(
            names = "--into",
            paramLabel = "PLACE",
            defaultValue = "DIRECT",
            description = "direct memory or the heap (default: ${DEFAULT-VALUE}).")
    private Into into;

    @Option(
            names = "--one-place",
            description =
                    "Sends the same bytes again and again, from one place into one place, as"
                            + " ucx_perftest does: what little fits into the processor's cache"
                            + " stays there.")
    private boolean onePlace;

    @Option(
            names = "--no-perftest",
            description = "Leaves out ucx_perftest, which is run where it is installed.")
    private boolean noPerfTest;

    @Option(
            names = "--idle",
            description =
                    "Measures instead what CPU four ranks of MPI take that have nothing to do, over"
                            + " 30 s.")
    private boolean idle;

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

    @Option(
            names = "--secret",
            paramLabel = "DIGITS",
            description = "What --serve printed; with --serve, what it is to take.")
    private String secret;

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
        if (serve != null && connect != null) {
            throw new BadInputException("--serve and --connect: expected one of them");
        }
        if (connect != null && secret == null) {
            throw new BadInputException("--connect: expected the --secret that --serve printed");
        }
        final NetPlan plan = plan();
        final NetBenchmark.Data served =
                new NetBenchmark.Data(
                        data, from == From.MEMORY, mpirun, Map.copyOf(properties.properties()));
        if (plan.sizes().stream().anyMatch(size -> size > data)) {
            throw new BadInputException("--data " + data + ": expected as much as a message");
        }
        final WorkFolder home = work.folder();
        final Path target = target(home);
        final Screen screen = Screen.of(spec);
        final NetBenchmark benchmark =
                new NetBenchmark(classPath(home, hadoop, screen), target.resolve("logs"), served);
        if (serve != null) {
            return serve(benchmark);
        }
        if (idle) {
            spec.commandLine().getOut().println(benchmark.idle(IDLE_SECONDS).text());
            return 0;
        }
        final NetResult result =
                connect == null
                        ? benchmark.run(plan, screen)
                        : benchmark.run(
                                plan,
                                NetBenchmark.Endpoint.parse("--connect", connect, secret),
                                screen);
        return print(result, target);
    }

    private int serve(final NetBenchmark benchmark) {
        final NetBenchmark.Endpoint at =
                NetBenchmark.Endpoint.parse(
                        "--serve", serve, secret == null ? NetBenchmark.newSecret() : secret);
        final PrintWriter out = spec.commandLine().getOut();
        benchmark.serve(
                at,
                port -> {
                    out.println("Serving until Ctrl-C. On the other host:");
                    out.println(
                            "  spillway bench net --connect "
                                    + at.host()
                                    + ":"
                                    + port
                                    + " --secret "
                                    + at.secret());
                    out.flush();
                });
        return 1; // it ends by being ended
    }

    private int print(final NetResult result, final Path target) {
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
        return folder == null ? home.reports().resolve("net-" + stamp) : folder.toAbsolutePath();
    }

    /** Of processes that measure: this build's jars, and those of a release of Hadoop. */
    static List<String> classPath(final WorkFolder home, final String hadoop, final Screen screen) {
        final PlugIn plugIn = PlugIn.ofThisBuild();
        final List<String> entries =
                new ArrayList<>(List.of(plugIn.engine().toString(), plugIn.bench().toString()));
        entries.addAll(HadoopRuntime.resolve(home, hadoop, screen::note).classPath());
        return entries;
    }

    private NetPlan plan() {
        return new NetPlan(
                ways(),
                sizes.stream().map(BenchNetCommand::message).toList(),
                windows,
                repeat,
                seconds,
                into == Into.DIRECT,
                onePlace);
    }

    private static int message(final long size) {
        if (size > NetPlan.MOST_BYTES) {
            throw new BadInputException("--sizes " + size + ": expected at most 16m");
        }
        return (int) size;
    }

    private List<TransportVariant> ways() {
        final List<TransportVariant> ways = new ArrayList<>();
        if (isMeasured(Transports.TCP)) {
            ways.add(new TransportVariant(TransportVariant.Kind.RAW_TCP));
            ways.add(new TransportVariant(TransportVariant.Kind.TCP));
        }
        if (isMeasured(Transports.UCX)) {
            for (final String list : tls) {
                ways.add(new TransportVariant(TransportVariant.Kind.UCX, list));
                if (!noPerfTest) {
                    ways.add(new TransportVariant(TransportVariant.Kind.PERFTEST, list));
                }
            }
        }
        if (isMeasured(Transports.MPI)) {
            ways.add(new TransportVariant(TransportVariant.Kind.MPI));
            ways.add(new TransportVariant(TransportVariant.Kind.MPI_LIBRARY));
            ways.add(new TransportVariant(TransportVariant.Kind.SEMEM));
        }
        return ways;
    }

    private boolean isMeasured(final Transports each) {
        return transports == Transports.ALL || transports == each;
    }
}
