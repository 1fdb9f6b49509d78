// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.hpc;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.ShellWord;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.site.JavaCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** A Hadoop in an allocation of a batch system. */
@Command(
        name = "hpc",
        mixinStandardHelpOptions = true,
        description =
                "Starts a Hadoop with Spillway in a job of Slurm or PBS, runs jobs on it, and"
                        + " leaves nothing of it on the hosts.",
        footer = {
            "",
            "Examples:",
            "  spillway hpc script > job.sbatch && sbatch job.sbatch",
            "  spillway hpc run -- spillway run terasort in out      in a batch script",
            "  eval \"$(spillway hpc start)\"                         in salloc",
            "  spillway hpc status",
            "  spillway hpc stop"
        },
        subcommands = {
            HpcCommands.Start.class,
            HpcCommands.Run.class,
            HpcCommands.Script.class,
            HpcCommands.Status.class,
            HpcCommands.Stop.class
        })
public final class HpcCommands implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say script, run, start, status or stop.");
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = {
                "Starts a Hadoop on the hosts of this allocation, and prints the line that makes"
                        + " its commands known to a shell.",
                "",
                "The first host is the master; the others run tasks, or hold map outputs in memory"
                        + " (--memory-nodes). It ends with `spillway hpc stop`, or with the"
                        + " allocation."
            },
            footer = {
                "",
                "Examples:",
                "  eval \"$(spillway hpc start)\"",
                "  spillway hpc start --local-dir /ssd1,/ssd2 --network ib0 --memory-nodes 2",
                "  spillway hpc start --hosts hosts.txt --shared-dir /lustre/me"
            })
    public static final class Start implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private SessionOptions which;
        @Mixin private HpcOptions options;

        @Override
        public Integer call() {
            final Screen screen = Screen.of(spec);
            final Allocation allocation = which.allocation();
            final SessionFolder folder = which.session(allocation);
            requireStopped(folder);
            final Path hadoop =
                    HadoopChoice.of(options.hadoop(), System.getenv(), work.folder(), screen::note);
            final HpcStarter starter = new HpcStarter(allocation, folder, options, screen);
            final HpcSession session = new HpcSession(allocation, folder, screen);
            final Thread stopper = new Thread(() -> end(starter, session), "hpc-stopper");
            Runtime.getRuntime().addShutdownHook(stopper);
            starter.start(hadoop);
            Runtime.getRuntime().removeShutdownHook(stopper);
            final PrintWriter out = spec.commandLine().getOut();
            out.println(exportLine(variables(folder, hadoop)));
            out.flush();
            return 0;
        }

        private static String exportLine(final Map<String, String> variables) {
            final StringBuilder line = new StringBuilder("export");
            variables.forEach(
                    (name, value) ->
                            line.append(' ')
                                    .append(name)
                                    .append('=')
                                    .append(ShellWord.quoted(value)));
            return line.toString();
        }
    }

    @Command(
            name = "run",
            mixinStandardHelpOptions = true,
            description = {
                "Starts a Hadoop on the hosts of this allocation, runs a command with it, saves"
                        + " the jobs' reports, and ends it.",
                "",
                "The exit code is the command's. On SIGTERM, as Slurm sends it before an end, the"
                        + " same is done at once."
            },
            footer = {
                "",
                "HADOOP_HOME, HADOOP_CONF_DIR, JAVA_HOME and PATH of the command are set.",
                "",
                "Examples:",
                "  spillway hpc run -- spillway run terasort in out",
                "  spillway hpc run --memory-nodes 2 -- bash my-jobs.sh"
            })
    public static final class Run implements Callable<Integer> {
        private static final long REPORTS_SECONDS = 10;

        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private SessionOptions which;
        @Mixin private HpcOptions options;

        @Parameters(arity = "1..*", paramLabel = "COMMAND", description = "After --.")
        private List<String> command;

        @Override
        public Integer call() throws IOException, InterruptedException {
            final Screen screen = Screen.of(spec);
            final Allocation allocation = which.allocation();
            final SessionFolder folder = which.session(allocation);
            requireStopped(folder);
            final Path hadoop =
                    HadoopChoice.of(options.hadoop(), System.getenv(), work.folder(), screen::note);
            final HpcStarter starter = new HpcStarter(allocation, folder, options, screen);
            final HpcSession session = new HpcSession(allocation, folder, screen);
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> end(starter, session), "hpc-stopper"));
            starter.start(hadoop);
            final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
            final Future<?> reports =
                    timer.scheduleWithFixedDelay(
                            session::collectReports,
                            REPORTS_SECONDS,
                            REPORTS_SECONDS,
                            TimeUnit.SECONDS);
            try {
                return follow(folder, hadoop);
            } finally {
                reports.cancel(false);
                timer.shutdownNow();
                session.stop();
            }
        }

        private int follow(final SessionFolder folder, final Path hadoop)
                throws IOException, InterruptedException {
            final ProcessBuilder builder = new ProcessBuilder(command).inheritIO();
            builder.environment().putAll(variables(folder, hadoop));
            final Process process = builder.start();
            Runtime.getRuntime()
                    .addShutdownHook(new Thread(() -> endTree(process), "command-stopper"));
            return process.waitFor();
        }

        /** With what it has started: a shell leaves that alone. */
        private static void endTree(final Process process) {
            process.descendants().forEach(ProcessHandle::destroy);
            process.destroy();
        }
    }

    @Command(
            name = "script",
            mixinStandardHelpOptions = true,
            description = {
                "Prints a batch script of Slurm that starts a Hadoop, runs jobs, saves their"
                        + " reports, and ends it.",
                "",
                "On a login node, where Maven may fetch Hadoop's jars (once) if there is no"
                        + " HADOOP_HOME."
            },
            footer = {
                "",
                "Examples:",
                "  spillway hpc script > job.sbatch && sbatch job.sbatch",
                "  spillway hpc script --nodes 16 --time 04:00:00 --sbatch=--partition=big \\",
                "      --local-dir /ssd -- 'spillway run terasort in out' > job.sbatch"
            })
    public static final class Script implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private HpcOptions options;

        @Option(
                names = "--nodes",
                paramLabel = "N",
                defaultValue = "4",
                description = "Hosts (default: ${DEFAULT-VALUE}).")
        private int nodes;

        @Option(
                names = "--time",
                paramLabel = "TIME",
                defaultValue = "01:00:00",
                description = "The job's limit, as sbatch takes it (default: ${DEFAULT-VALUE}).")
        private String time;

        @Option(
                names = "--sbatch",
                paramLabel = "OPTION",
                description = "Another line #SBATCH, as --sbatch=--partition=big; repeatable.")
        private List<String> sbatch = List.of();

        @Parameters(
                arity = "0..*",
                paramLabel = "LINE",
                description = "Shell commands that run on the Hadoop (default: an example).")
        private List<String> jobs = List.of();

        @Override
        public Integer call() {
            final Path hadoop =
                    HadoopChoice.of(
                            options.hadoop(),
                            System.getenv(),
                            work.folder(),
                            Screen.of(spec)::note);
            final Path spillway = WorkOptions.repository().resolve("spillway").toAbsolutePath();
            final PrintWriter out = spec.commandLine().getOut();
            out.print(BatchScript.of(nodes, time, sbatch, jobs, spillway, options.words(hadoop)));
            out.flush();
            return 0;
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Shows the hosts of the allocation's Hadoop, and its jobs.",
            footer = {"", "Example:", "  spillway hpc status"})
    public static final class Status implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private SessionOptions which;

        @Override
        public Integer call() {
            final SessionFolder folder = which.session(which.allocation());
            requireRunning(folder);
            final HpcWeb web = new HpcWeb(folder);
            final PrintWriter out = spec.commandLine().getOut();
            out.println(folder.path());
            for (final JsonNode node : web.nodes()) {
                out.printf(
                        "%-24s %-10s %s containers, %s of %s MB%n",
                        node.path("nodeHostName").asText(),
                        node.path("state").asText(),
                        node.path("numContainers").asText(),
                        node.path("usedMemoryMB").asText(),
                        node.path("usedMemoryMB").asLong() + node.path("availMemoryMB").asLong());
            }
            for (final JsonNode job : web.applications()) {
                out.printf(
                        "%-32s %-10s %3.0f %% %s%n",
                        job.path("id").asText(),
                        job.path("state").asText(),
                        job.path("progress").asDouble(),
                        job.path("name").asText());
            }
            out.flush();
            return 0;
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description =
                    "Saves the jobs' reports, and ends the allocation's Hadoop: daemons, tasks,"
                            + " and what they have on the hosts' disks and in their memory.",
            footer = {"", "Example:", "  spillway hpc stop"})
    public static final class Stop implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private SessionOptions which;

        @Override
        public Integer call() {
            final Allocation allocation = which.allocation();
            final SessionFolder folder = which.session(allocation);
            requireRunning(folder);
            new HpcSession(allocation, folder, Screen.of(spec)).stop();
            return 0;
        }
    }

    private static void requireRunning(final SessionFolder folder) {
        if (!folder.isRunning()) {
            throw new CommandException(
                    "no Hadoop of this allocation in "
                            + folder.path()
                            + ": start it by `spillway hpc start`, or name its --shared-dir");
        }
    }

    private static void requireStopped(final SessionFolder folder) {
        if (folder.isRunning()) {
            throw new BadInputException(
                    folder.run()
                            + " is there: this allocation has its Hadoop; `spillway hpc stop` ends"
                            + " it, or what is left of it");
        }
    }

    /** Runs when the JVM ends, by a signal or a failure. It prints its own errors. */
    private static void end(final HpcStarter starter, final HpcSession session) {
        starter.refuse();
        try {
            session.stop();
        } catch (final CommandException e) {
            System.err.println("spillway: " + e.getMessage());
        }
    }

    /** By which clients find the Hadoop. */
    private static Map<String, String> variables(final SessionFolder folder, final Path hadoop) {
        final String path = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");
        return Map.of(
                "HADOOP_HOME", hadoop.toString(),
                "HADOOP_CONF_DIR", folder.conf().toString(),
                "JAVA_HOME", JavaCommand.home().toString(),
                "PATH", hadoop.resolve("bin") + ":" + WorkOptions.repository() + ":" + path);
    }
}
