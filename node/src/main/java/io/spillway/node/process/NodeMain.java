// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.process;

import io.spillway.conf.MpiStart;
import io.spillway.node.Transports;
import io.spillway.node.member.ClusterQuestion;
import io.spillway.protocol.ProtocolKeys;
import io.spillway.protocol.TlsFloor;
import io.spillway.transport.mpi.library.MpiKeys;
import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The node process's main class. Settings are those of Hadoop's files on the class path; {@code -D
 * name=value} goes before them. It runs until SIGTERM or SIGINT; with the first argument {@code
 * clean} it frees what nodes that are gone have left in memory, with {@code cluster} it asks the
 * placement service for the status of all nodes, with {@code jvm-options} it prints the options of
 * the JVM that the settings need, and ends.
 */
public final class NodeMain {
    /** Exit code: it could not start or go on; the error stream says why. */
    public static final int FAILED = 1;

    /** Exit code: a wrong setting or argument. */
    public static final int WRONG_INPUT = 2;

    /** Exit code: a node process runs already. */
    public static final int RUNS_ALREADY = 3;

    /** Argument: end when no NodeManager has come for the grace time. */
    public static final String END_WHEN_ALONE = "--end-when-alone";

    /** Argument: print the status of all nodes of the cluster as JSON, and end. */
    public static final String CLUSTER = "cluster";

    /** First argument: print the JVM options that the memory of these settings needs, and end. */
    public static final String JVM_OPTIONS = "jvm-options";

    /** Argument: be a rank of the MPI world that mpirun or srun has started. */
    public static final String MPI = "--mpi";

    /** Argument: be an MPI world of one process. */
    public static final String MPI_SELF = "--mpi-self";

    /** What the line begins with that says why it ends. */
    public static final String MESSAGE = "spillway node: ";

    private static final Logger LOG = LoggerFactory.getLogger(NodeMain.class);
    private static final String DEFINE = "-D";

    private static final String CLEAN = "clean";
    private static final String NOW = "--now";
    private static final String DRY_RUN = "--dry-run";

    /** A request to the status page that takes longer is ended, in seconds. */
    private static final Map<String, String> PAGE_LIMITS =
            Map.of("sun.net.httpserver.maxReqTime", "10", "sun.net.httpserver.maxRspTime", "30");

    private NodeMain() {}

    /** Starts the process; ends the JVM with one of the exit codes where it cannot. */
    public static void main(final String[] arguments) {
        final int code = run(List.of(arguments), System.err);
        if (code != 0) {
            abandon(List.of(arguments), code);
        }
        System.exit(code);
    }

    /** Others may have been started together with this process, and wait for it. */
    private static void abandon(final List<String> arguments, final int code) {
        try {
            final Map<String, String> defined = new TreeMap<>();
            parse(arguments, defined);
            final Function<String, String> settings = settings(defined);
            Transports.all().forEach(transport -> transport.abandon(settings, code));
        } catch (final IllegalArgumentException e) {
            LOG.debug("Settings that cannot be read: no rank", e);
        }
    }

    private static int run(final List<String> arguments, final PrintStream errors) {
        try {
            if (!arguments.isEmpty() && arguments.get(0).equals(CLEAN)) {
                clean(arguments, System.out);
                return 0;
            }
            if (!arguments.isEmpty() && arguments.get(0).equals(JVM_OPTIONS)) {
                showOptions(arguments, System.out);
                return 0;
            }
            if (arguments.contains(CLUSTER)) {
                showCluster(arguments, System.out);
                return 0;
            }
            final Map<String, String> defined = new TreeMap<>();
            final boolean endsWhenAlone = parse(arguments, defined);
            serve(settings(defined), endsWhenAlone);
            return 0;
        } catch (final IllegalArgumentException e) {
            return explain(errors, e.getMessage(), WRONG_INPUT);
        } catch (final AlreadyRunningException e) {
            return explain(errors, e.getMessage(), RUNS_ALREADY);
        } catch (final IOException e) {
            return explain(errors, e.getMessage(), FAILED);
        } catch (final InterruptedException e) {
            return explain(errors, "interrupted", FAILED);
        }
    }

    private static void clean(final List<String> arguments, final PrintStream out) {
        final List<String> rest = new ArrayList<>(arguments);
        rest.remove(CLEAN);
        final boolean now = rest.remove(NOW);
        final boolean dryRun = rest.remove(DRY_RUN);
        final Map<String, String> defined = new TreeMap<>();
        if (parse(rest, defined)) {
            throw new IllegalArgumentException(END_WHEN_ALONE + ": not with " + CLEAN);
        }
        new StoreCleaner(settings(defined)).clean(now, dryRun).forEach(out::println);
        out.flush();
    }

    private static void showCluster(final List<String> arguments, final PrintStream out)
            throws IOException {
        final List<String> rest = new ArrayList<>(arguments);
        rest.remove(CLUSTER);
        final Map<String, String> defined = new TreeMap<>();
        if (parse(rest, defined)) {
            throw new IllegalArgumentException(END_WHEN_ALONE + ": not with " + CLUSTER);
        }
        out.println(ClusterQuestion.of(Transports.all(), settings(defined)).ask());
        out.flush();
    }

    private static void showOptions(final List<String> arguments, final PrintStream out) {
        final Map<String, String> defined = new TreeMap<>();
        parse(arguments.subList(1, arguments.size()), defined);
        out.println(String.join(" ", NodeMemory.of(settings(defined)).options()));
        out.flush();
    }

    private static int explain(final PrintStream errors, final String message, final int code) {
        errors.println(MESSAGE + message);
        return code;
    }

    private static void serve(final Function<String, String> settings, final boolean endsWhenAlone)
            throws IOException, InterruptedException {
        PAGE_LIMITS.forEach(System::setProperty);
        if (TlsFloor.raises(settings)) {
            LOG.warn(
                    "{}={}: privacy on the ports of this process, which have no TLS, as {}=true",
                    ProtocolKeys.PROTECTION,
                    settings.apply(ProtocolKeys.PROTECTION.name()),
                    TlsFloor.ENABLED);
        }
        final boolean isRank = MpiKeys.MPI_WORLD.get(settings) != MpiStart.NONE;
        final NodeProcess node = NodeProcess.start(Transports.all(), settings, endsWhenAlone);
        final Thread stop = new Thread(() -> stop(node, isRank), "spillway-stop");
        Runtime.getRuntime().addShutdownHook(stop);
        node.awaitEnd();
    }

    /**
     * A launcher takes a rank that ends with the code of a signal for one that has failed, and
     * kills the others.
     */
    private static void stop(final NodeProcess node, final boolean isRank) {
        LOG.info("The node process stops");
        node.close();
        if (isRank) {
            Runtime.getRuntime().halt(0);
        }
    }

    /** Collects definitions; returns whether to end when alone. */
    private static boolean parse(final List<String> arguments, final Map<String, String> defined) {
        boolean endsWhenAlone = false;
        for (int i = 0; i < arguments.size(); i++) {
            final String argument = arguments.get(i);
            if (argument.equals(END_WHEN_ALONE)) {
                endsWhenAlone = true;
            } else if (argument.equals(MPI)) {
                defined.put(MpiKeys.MPI_WORLD.name(), MpiStart.LAUNCHED.text());
            } else if (argument.equals(MPI_SELF)) {
                defined.put(MpiKeys.MPI_WORLD.name(), MpiStart.SELF.text());
            } else if (argument.equals(DEFINE) && i + 1 < arguments.size()) {
                i++;
                define(arguments.get(i), defined);
            } else if (argument.startsWith(DEFINE) && argument.length() > DEFINE.length()) {
                define(argument.substring(DEFINE.length()), defined);
            } else {
                throw new IllegalArgumentException(
                        "argument "
                                + argument
                                + ": expected -D name=value, "
                                + MPI
                                + ", "
                                + MPI_SELF
                                + " or "
                                + END_WHEN_ALONE);
            }
        }
        return endsWhenAlone;
    }

    private static void define(final String text, final Map<String, String> defined) {
        final int assignment = text.indexOf('=');
        if (assignment <= 0) {
            throw new IllegalArgumentException("argument -D " + text + ": expected name=value");
        }
        defined.put(text.substring(0, assignment), text.substring(assignment + 1));
    }

    private static Function<String, String> settings(final Map<String, String> defined) {
        final Configuration conf = new Configuration();
        conf.addResource("mapred-site.xml");
        conf.addResource("yarn-site.xml");
        defined.forEach(conf::set);
        return conf::getTrimmed;
    }
}
