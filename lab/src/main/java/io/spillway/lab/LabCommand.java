// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import io.spillway.cli.SpillwayCommand;
import io.spillway.lab.compare.command.CompareCommand;
import io.spillway.lab.compare.command.DemoCommand;
import io.spillway.lab.compare.command.ScaleCommand;
import io.spillway.lab.compare.command.WorkloadsCommand;
import io.spillway.lab.exhibit.ExhibitCommand;
import io.spillway.lab.place.LocalPlace;
import io.spillway.lab.place.LocalSites;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of a checkout: the installed one's commands, and those that measure. */
@Command(
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
            "spillway COMMAND --help explains a command.",
            "Exit codes: 0 done; 1 failed, or outputs differ; 2 wrong input; 3 (node start) it runs"
                    + " already, (node drain) it cannot stop yet; 130 ended by Ctrl-C."
        },
        subcommands = {
            DemoCommand.class,
            CompareCommand.class,
            ScaleCommand.class,
            WorkloadsCommand.class,
            ExhibitCommand.class,
            BenchCommand.class,
            ClusterCommand.class
        })
public final class LabCommand extends SpillwayCommand {
    /** A command line whose jobs run on a local cluster too. */
    public static CommandLine newCommandLine() {
        return newCommandLine(new LabCommand(), LocalPlace::new, LocalSites::new);
    }

    /** Runs the command and ends the JVM with its exit code. */
    public static void main(final String[] arguments) {
        System.exit(newCommandLine().execute(arguments));
    }
}
