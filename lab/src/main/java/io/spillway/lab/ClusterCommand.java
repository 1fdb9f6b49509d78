// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.Screen;
import io.spillway.cli.option.WorkOptions;
import io.spillway.cli.report.TextTable;
import io.spillway.cli.site.WorkFolder;
import io.spillway.lab.cluster.ClusterSpec;
import io.spillway.lab.cluster.ClusterSpec.Handler;
import io.spillway.lab.cluster.ClusterStatus;
import io.spillway.lab.cluster.LocalCluster;
import io.spillway.lab.place.ClusterOptions;
import io.spillway.lab.place.ClusterSession;
import java.io.PrintWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Local clusters. */
@Command(
        name = "cluster",
        mixinStandardHelpOptions = true,
        description = "Starts, shows and stops unmodified Hadoop clusters on this machine.",
        footer = {
            "",
            "Every daemon is a JVM of its own, on loopback and free ports; all files lie in the"
                    + " work folder.",
            "",
            "Examples:",
            "  spillway cluster start",
            "  spillway cluster start --name old --hadoop 3.4.2 --fs hdfs --nodes 3",
            "  spillway cluster status",
            "  spillway cluster stop --name old"
        },
        subcommands = {
            ClusterCommand.Start.class,
            ClusterCommand.Stop.class,
            ClusterCommand.Status.class
        })
final class ClusterCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say start, stop or status.");
    }

    @Command(
            name = "start",
            mixinStandardHelpOptions = true,
            description = "Starts a cluster and waits until it takes jobs.",
            footer = {
                "",
                "Tasks have 1 GiB of heap in a container of 1.5 GiB. Two tasks a core run at a"
                        + " time, as memory allows.",
                "",
                "Examples:",
                "  spillway cluster start",
                "  spillway cluster start --nodes 3 --stock-nodes 1"
                        + "    one node serves stock HTTP only",
                "  spillway cluster start --handler stock",
                "  spillway cluster start --hosts 4 --link 1gbit    as on four hosts (root)",
                "  spillway cluster start --hosts 4 --shared-fs    with a distributed file system"
            })
    static final class Start implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private ClusterOptions cluster;

        @Option(
                names = "--name",
                paramLabel = "NAME",
                defaultValue = ClusterSpec.DEFAULT_NAME,
                description = "Tells clusters apart (default: ${DEFAULT-VALUE}).")
        private String name;

        @Option(
                names = "--handler",
                paramLabel = "KIND",
                defaultValue = "spillway",
                description =
                        "Shuffle handler of the NodeManagers: spillway (serves stock jobs as well)"
                                + " or stock (default: ${DEFAULT-VALUE}).")
        private Handler handler;

        @Option(
                names = "--stock-nodes",
                paramLabel = "K",
                defaultValue = "0",
                description = "The first K NodeManagers get the stock handler (default: 0).")
        private int stockNodes;

        @Option(
                names = "-D",
                paramLabel = "KEY=VALUE",
                mapFallbackValue = "",
                description = "A property for the daemons and for all jobs.")
        private Map<String, String> properties = new TreeMap<>();

        @Override
        public Integer call() {
            final ClusterSpec wanted =
                    cluster.apply(ClusterSpec.defaults())
                            .withName(name)
                            .withHandler(handler)
                            .withStockNodes(stockNodes)
                            .withProperties(properties);
            final Screen screen = Screen.of(spec);
            try (ClusterSession session =
                    ClusterSession.startNew(work.folder(), wanted, screen, false)) {
                session.outliveCommand();
                print(spec.commandLine().getOut(), session.cluster());
            }
            return 0;
        }
    }

    @Command(
            name = "stop",
            mixinStandardHelpOptions = true,
            description = "Ends every process of a cluster and deletes its files.",
            footer = {
                "",
                "Also cleans up after a command that was killed; the next one that starts a"
                        + " cluster does so, too.",
                "",
                "Examples:",
                "  spillway cluster stop",
                "  spillway cluster stop --all",
                "  spillway cluster stop --keep-logs"
            })
    static final class Stop implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;

        @Option(
                names = "--name",
                paramLabel = "NAME",
                defaultValue = ClusterSpec.DEFAULT_NAME,
                description = "Which cluster (default: ${DEFAULT-VALUE}).")
        private String name;

        @Option(names = "--all", description = "All clusters of the work folder.")
        private boolean all;

        @Option(names = "--keep-logs", description = "Leaves the logs of daemons and tasks.")
        private boolean keepLogs;

        @Override
        public Integer call() {
            final WorkFolder folder = work.folder();
            final List<String> names = all ? LocalCluster.names(folder) : List.of(name);
            for (final String each : names) {
                final LocalCluster cluster =
                        LocalCluster.attach(folder, each)
                                .orElseThrow(() -> noCluster(folder, each));
                cluster.stop(keepLogs);
                spec.commandLine().getOut().println("cluster " + each + " stopped");
            }
            return 0;
        }
    }

    @Command(
            name = "status",
            mixinStandardHelpOptions = true,
            description = "Shows the daemons of all clusters; exit code 1 when one is missing.",
            footer = {"", "Example:", "  spillway cluster status"})
    static final class Status implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;

        @Override
        public Integer call() {
            final WorkFolder folder = work.folder();
            final List<String> names = LocalCluster.names(folder);
            final PrintWriter out = spec.commandLine().getOut();
            if (names.isEmpty()) {
                out.println("no cluster in " + folder.root());
            }
            boolean complete = true;
            for (final String name : names) {
                final LocalCluster cluster =
                        LocalCluster.attach(folder, name)
                                .orElseThrow(
                                        () -> new CommandException(name + " has just stopped"));
                complete &= print(out, cluster);
            }
            return complete ? 0 : 1;
        }
    }

    static BadInputException noCluster(final WorkFolder folder, final String name) {
        return new BadInputException(
                "no cluster "
                        + name
                        + " in "
                        + folder.root()
                        + "; there are: "
                        + LocalCluster.names(folder));
    }

    /** Prints a cluster, and tells whether all its daemons are alive. */
    private static boolean print(final PrintWriter out, final LocalCluster cluster) {
        final ClusterStatus status = cluster.status();
        final ClusterSpec spec = cluster.spec();
        out.printf(
                "cluster %s: Hadoop %s, %d nodes, data on %s, %d tasks at a time, folder %s%s%n",
                spec.name(),
                spec.hadoopVersion(),
                spec.nodes(),
                cluster.dataOnLocalFiles() ? "local files" : "HDFS",
                cluster.size().slotsPerNode() * spec.nodes(),
                cluster.work().cluster(spec.name()),
                cluster.emulation().map(text -> ", " + text).orElse(""));
        final TextTable table = new TextTable("daemon", "process", "pages", "");
        for (final ClusterStatus.Daemon daemon : status.daemons()) {
            table.row(
                    daemon.name(),
                    daemon.pid().map(String::valueOf).orElse("not running"),
                    daemon.address(),
                    daemon.detail());
        }
        out.print(table.render());
        out.flush();
        return status.isComplete();
    }
}
