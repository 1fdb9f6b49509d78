// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.cli.doctor.DoctorCommand;
import io.spillway.cli.hpc.HpcCommands;
import io.spillway.cli.install.InstallCommand;
import io.spillway.cli.node.MpiCommands;
import io.spillway.cli.node.NodeCommands;
import io.spillway.cli.option.Verbosity;
import io.spillway.cli.place.AskedSites;
import io.spillway.cli.place.InstalledPlace;
import io.spillway.cli.place.InstalledSites;
import io.spillway.cli.place.JobPlace;
import io.spillway.cli.plan.PlanCommand;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IFactory;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The whole command line. */
@Command(
        name = "spillway",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        description = {
            "A shuffle engine for unmodified Apache Hadoop MapReduce: run jobs with it, install it"
                    + " on a cluster, see what it does.",
            ""
        },
        footer = {
            "",
            "Start here:",
            "  spillway run wordcount IN OUT      any example or jar, with Spillway",
            "  spillway conf                      what to add to a cluster of your own",
            "",
            "spillway COMMAND --help explains a command.",
            "Exit codes: 0 done; 1 failed, or outputs differ; 2 wrong input; 3 (node start) it runs"
                    + " already, (node drain) it cannot stop yet; 130 ended by Ctrl-C."
        },
        subcommands = {
            RunCommand.class,
            PlanCommand.class,
            HpcCommands.class,
            NodeCommands.class,
            MpiCommands.class,
            ReportCommand.class,
            DoctorCommand.class,
            InstallCommand.class,
            ConfCommand.class,
            CdsCommand.class,
            VersionCommand.class
        })
public class SpillwayCommand implements Runnable, Verbosity {
    private static final int INTERRUPTED = 130;

    @Spec private CommandSpec spec;

    @Option(
            names = {"-q", "--quiet"},
            scope = ScopeType.INHERIT,
            description = "Shows no progress: results and errors only.")
    private boolean quiet;

    @Option(
            names = "--verbose",
            scope = ScopeType.INHERIT,
            description = "Shows where an error comes from.")
    private boolean verbose;

    @Override
    public final boolean isQuiet() {
        return quiet;
    }

    @Override
    public final void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** A command line whose jobs run on the Hadoop that the environment names. */
    public static CommandLine newCommandLine() {
        return newCommandLine(new SpillwayCommand(), InstalledPlace::new, InstalledSites::new);
    }

    /**
     * A command line that prints one clear line for what goes wrong, and a usage hint.
     *
     * @param root has the commands
     * @param places makes each command's choice of a place for jobs
     * @param asked makes each command's choice of sites to ask
     */
    public static CommandLine newCommandLine(
            final SpillwayCommand root,
            final Supplier<JobPlace> places,
            final Supplier<AskedSites> asked) {
        final CommandLine line = new CommandLine(root, new PlaceFactory(places, asked));
        line.setCaseInsensitiveEnumValuesAllowed(true);
        line.setUsageHelpAutoWidth(true);
        line.setParameterExceptionHandler(SpillwayCommand::explain);
        line.setExecutionExceptionHandler(
                (failure, command, parsed) -> {
                    if (isEnding()) {
                        return INTERRUPTED; // what failed, failed because all is being stopped
                    }
                    return new FailureText(command.getErr(), isVerbose(command)).explain(failure);
                });
        // All that follows the program's name belongs to the program.
        line.getSubcommands().get("run").setStopAtPositional(true);
        return line;
    }

    /** Whether Ctrl-C, or another signal, is ending the JVM: only then it takes no hook. */
    private static boolean isEnding() {
        final Thread probe = new Thread(() -> {}, "probe");
        try {
            Runtime.getRuntime().addShutdownHook(probe);
            Runtime.getRuntime().removeShutdownHook(probe);
            return false;
        } catch (final IllegalStateException e) {
            return true;
        }
    }

    private static boolean isVerbose(final CommandLine command) {
        return ((SpillwayCommand) command.getCommandSpec().root().userObject()).verbose;
    }

    private static int explain(final ParameterException problem, final String[] arguments) {
        final CommandLine command = problem.getCommandLine();
        command.getErr().println("spillway: " + problem.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(problem, command.getErr());
        command.getErr().println("Try: " + command.getCommandSpec().qualifiedName() + " --help");
        return CommandLine.ExitCode.USAGE;
    }

    /** Makes the mixins that are interfaces, and all else as picocli does. */
    private record PlaceFactory(Supplier<JobPlace> places, Supplier<AskedSites> asked)
            implements IFactory {
        @Override
        public <K> K create(final Class<K> type) throws Exception {
            if (type == JobPlace.class) {
                return type.cast(places.get());
            }
            if (type == AskedSites.class) {
                return type.cast(asked.get());
            }
            return CommandLine.defaultFactory().create(type);
        }
    }

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(final String[] arguments) {
        System.exit(newCommandLine().execute(arguments));
    }
}
