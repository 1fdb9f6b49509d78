// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import io.spillway.node.control.NodeRefusedException;
import io.spillway.node.control.StatusClient;
import io.spillway.node.process.StoreCleaner;
import io.spillway.placement.conf.PlacementKeys;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The node process of this host. */
@Command(
        name = "node",
        mixinStandardHelpOptions = true,
        description =
                "Starts, shows, drains and stops the node process, and cleans up after nodes that"
                        + " are gone. The process serves this host's map outputs over"
                        + " every transport that the host has.",
        footer = {
            "",
            "One runs for each host and user. Handlers find it by its Unix socket; a NodeManager"
                    + " with spillway.node.launch=true starts it itself.",
            "",
            "Examples:",
            "  spillway node start",
            "  spillway node start --daemon -D spillway.node.host=ib0.node17",
            "  spillway node status",
            "  spillway node status --all",
            "  spillway node drain && spillway node stop",
            "  spillway node clean --dry-run"
        },
        subcommands = {
            NodeCommands.Start.class,
            NodeCommands.Stop.class,
            NodeCommands.Status.class,
            DrainCommand.class,
            NodeCommands.Clean.class
        })
public final class NodeCommands implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "Say start, stop, status, drain or clean.");
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description =
                    "Starts the node process, in the foreground: until SIGTERM, as systemd and"
                            + " srun want it.",
            footer = {
                "",
                "With the installed Hadoop's files and class path, where HADOOP_HOME or"
                        + " HADOOP_CONF_DIR names one.",
                "Exit code 3: one runs already.",
                "",
                "Examples:",
                "  spillway node start",
                "  spillway node start --daemon",
                "  srun --ntasks-per-node=1 spillway node start",
                "  mpirun --map-by ppr:1:node spillway node start --mpi",
                "  srun --mpi=pmix --ntasks-per-node=1 --kill-on-bad-exit=1 \\",
                "      spillway node start --mpi"
            })
    public static final class Start implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private NodeOptions options;

        @ArgGroup(exclusive = true)
        private RankOptions rank = new RankOptions();

        @Option(names = "--daemon", description = "Goes to the background once the process serves.")
        private boolean daemon;

        @Option(
                names = "--log",
                paramLabel = "FILE",
                description = "The daemon's log (default: node/node.log in the work folder).")
        private Path log;

        @Override
        public Integer call() throws IOException, InterruptedException {
            if (daemon && rank.launched()) {
                throw new BadInputException(
                        "--mpi and --daemon: expected one of them; a rank ends with its launcher");
            }
            final Screen screen = Screen.of(spec);
            final NodeSession session =
                    new NodeSession(work.folder(), options.lookup(work.folder()), screen);
            final Map<String, String> definitions = new TreeMap<>(options.definitions());
            definitions.putAll(rank.definitions());
            if (rank.launched()) {
                return session.handOver(definitions, RankOptions.commandFile());
            }
            return daemon
                    ? session.startDaemon(definitions, log)
                    : session.runInForeground(definitions);
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Stops the node process and waits for its end.",
            footer = {
                "",
                "One that a NodeManager has started comes back.",
                "",
                "Example:",
                "  spillway node stop"
            })
    public static final class Stop implements Callable<Integer> {
        private static final long PATIENCE_SECONDS = 20;

        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private NodeOptions options;

        @Override
        public Integer call() throws InterruptedException {
            final Path socket = options.socket(work.folder());
            final long pid = NodeStatusText.parse(ask(socket)).path("pid").asLong();
            final ProcessHandle process =
                    ProcessHandle.of(pid)
                            .orElseThrow(() -> new CommandException("process " + pid + " is gone"));
            process.destroy();
            try {
                process.onExit().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
            } catch (final ExecutionException | TimeoutException e) {
                throw new CommandException(
                        "node process " + pid + " does not end within " + PATIENCE_SECONDS + " s",
                        e);
            }
            spec.commandLine().getOut().println("node process " + pid + " stopped");
            return 0;
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description =
                    "Shows what the node process serves: transports, NodeManagers, jobs, stores and"
                            + " cache; exit code 1 when none runs. With --all: all nodes of the"
                            + " cluster with their fill, and its jobs.",
            footer = {
                "",
                "--all asks the node process of this host, which asks the placement service. Where"
                        + " none runs here, or -D names a service, the service is asked directly.",
                "",
                "Examples:",
                "  spillway node status",
                "  spillway node status --json",
                "  spillway node status --all",
                "  spillway node status --all -D spillway.placement.service=mem01:13590 \\",
                "      -D spillway.placement.secret.file=/home/me/spillway.secret"
            })
    public static final class Status implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private NodeOptions options;

        @Option(names = "--json", description = "As the process tells it.")
        private boolean json;

        @Option(
                names = "--all",
                description = "All nodes and jobs that the placement service knows.")
        private boolean all;

        @Override
        public Integer call() throws IOException, InterruptedException {
            final String text = all ? askCluster() : ask(options.socket(work.folder()));
            final PrintWriter out = spec.commandLine().getOut();
            out.print(json ? text + System.lineSeparator() : render(text));
            out.flush();
            return 0;
        }

        private String render(final String text) {
            return all ? ClusterStatusText.render(text) : NodeStatusText.render(text);
        }

        private String askCluster() throws IOException, InterruptedException {
            final Function<String, String> lookup = options.lookup(work.folder());
            final boolean isNamed =
                    options.definitions().containsKey(PlacementKeys.PLACEMENT_SERVICE.name());
            final Path socket = options.socket(work.folder());
            if (!isNamed) {
                try {
                    return StatusClient.askCluster(socket);
                } catch (final NodeRefusedException e) {
                    throw new CommandException(
                            "the node process of this host says: " + e.getMessage(), e);
                } catch (final IOException e) {
                    requireService(lookup, socket, e);
                }
            }
            return new NodeSession(work.folder(), lookup, Screen.of(spec))
                    .askCluster(options.definitions());
        }

        private static void requireService(
                final Function<String, String> lookup, final Path socket, final IOException cause) {
            if (PlacementKeys.PLACEMENT_SERVICE.get(lookup).isEmpty()) {
                throw new CommandException(
                        "no node process of this user answers at "
                                + socket
                                + " ("
                                + cause.getMessage()
                                + "), and no placement service is named: say -D "
                                + PlacementKeys.PLACEMENT_SERVICE
                                + "=HOST:PORT -D "
                                + PlacementKeys.PLACEMENT_SECRET_FILE
                                + "=FILE",
                        cause);
            }
        }
    }

    @Command(
            name = "clean",
            mixinStandardHelpOptions = true,
            description =
                    "Frees the memory (and NVM) of this host that your NodeManagers have left when"
                            + " they were killed, and prints what it freed.",
            footer = {
                "",
                "Map outputs and spills lie in files below spillway.store.memory.dir/spillway-USER"
                    + " (/dev/shm). A folder there belongs to a NodeManager that lives, or that may"
                    + " come back: with YARN's recovery, within"
                    + " yarn.nm.liveness-monitor.expiry-interval-ms. These stay, and so do files of"
                    + " tasks that still run. NodeManagers and node processes do the same whenever"
                    + " one passes; this command is for the end of a batch job, where none will.",
                "",
                "Map outputs on a shared file system are deleted by the NodeManagers when their job"
                    + " ends. What is left of jobs whose NodeManagers were all killed is found by"
                    + " its age (--idle-hours), on all hosts' behalf: run that on one host.",
                "",
                "Examples:",
                "  spillway node clean --dry-run",
                "  spillway node clean",
                "  srun --ntasks-per-node=1 spillway node clean --now"
            })
    public static final class Clean implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private NodeOptions options;

        @Option(names = "--dry-run", description = "Says what would be freed, and frees nothing.")
        private boolean dryRun;

        @Option(
                names = "--now",
                description = "Does not wait for NodeManagers that could come back: none will.")
        private boolean now;

        @Option(
                names = "--idle-hours",
                paramLabel = "HOURS",
                defaultValue = "48",
                description =
                        "Deletes map outputs in spillway.store.lustre.dir of jobs in whose folder"
                                + " nothing has changed for so long (default: ${DEFAULT-VALUE}).")
        private int idleHours;

        @Override
        public Integer call() throws IOException {
            if (idleHours < 1) {
                throw new BadInputException(
                        "--idle-hours=" + idleHours + ", expected at least 1: jobs that run write");
            }
            final PrintWriter out = spec.commandLine().getOut();
            final StoreCleaner cleaner = new StoreCleaner(options.lookup(work.folder()));
            cleaner.clean(now, dryRun).forEach(out::println);
            cleaner.cleanShared(Duration.ofHours(idleHours), dryRun).forEach(out::println);
            out.flush();
            return 0;
        }
    }

    private static String ask(final Path socket) {
        try {
            return StatusClient.ask(socket);
        } catch (final IOException e) {
            throw noAnswer(socket, e);
        }
    }

    static CommandException noAnswer(final Path socket, final IOException cause) {
        return new CommandException(
                "no node process of this user answers at "
                        + socket
                        + " ("
                        + cause.getMessage()
                        + "); start one: spillway node start --daemon",
                cause);
    }
}
