// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Benchmarks of parts. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures parts of Spillway by themselves, without a cluster.",
        footer = {
            "",
            "Examples:",
            "  spillway bench net",
            "  spillway bench net --puts",
            "  spillway bench load",
            "  spillway bench net --help"
        },
        subcommands = {BenchNetCommand.class, BenchLoadCommand.class})
final class BenchCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say what to measure: net or load.");
    }
}
