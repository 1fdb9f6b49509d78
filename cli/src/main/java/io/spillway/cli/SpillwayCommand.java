// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import io.spillway.lab.BenchCommand;
import io.spillway.lab.ClusterCommand;

import io.spillway.lab.compare.command.CompareCommand;
import io.spillway.lab.compare.command.DemoCommand;
import io.spillway.lab.compare.command.ScaleCommand;
import io.spillway.cli.node.MpiCommands;
import io.spillway.cli.node.NodeCommands;
import io.spillway.cli.option.Verbosity;
import io.spillway.cli.plan.PlanCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;
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
            "A shuffle engine for unmodified Apache Hadoop MapReduce: try it, run jobs with it,"
                    + " compare it with the stock shuffle.",
            ""
        },
        footer = {
            "",
            "Start here:",
            "  spillway demo --size 256m          stock and Spillway side by side, in minutes",
            "  spillway run wordcount IN OUT      any example or jar, with Spillway",
            "  spillway conf                      what to add to a cluster of your own",
            "  spillway test                      all tests, in a checkout",
            "",
            "Every command tells more with --help.",
            "Exit codes: 0 done; 1 failed, or outputs differ; 2 wrong input; 3 (node start) it runs"
                    + " already; 130 ended by Ctrl-C."
        },
        subcommands = {
            DemoCommand.class,
            RunCommand.class,
            CompareCommand.class,
            ScaleCommand.class,
            BenchCommand.class,
            PlanCommand.class,
            ClusterCommand.class,
            NodeCommands.class,
            MpiCommands.class,
            ReportCommand.class,
            ConfCommand.class,
            CdsCommand.class,
            VersionCommand.class
        })
public final class SpillwayCommand implements Runnable, Verbosity {
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
    public boolean isQuiet() {
        return quiet;
    }

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** A command line that prints one clear line for what goes wrong, and a usage hint. */
    public static CommandLine newCommandLine() {
        final CommandLine line = new CommandLine(new SpillwayCommand());
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

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(final String[] arguments) {
        System.exit(newCommandLine().execute(arguments));
    }
}
