// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Prints versions. */
@Command(
        name = "version",
        mixinStandardHelpOptions = true,
        description = "Prints the versions of Spillway, the default Hadoop and Java.",
        footer = {"", "Example:", "  spillway version"})
final class VersionCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        spec.root().commandLine().printVersionHelp(spec.commandLine().getOut());
    }
}
