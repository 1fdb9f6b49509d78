// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.node;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import io.spillway.cli.option.WorkOptions;
import io.spillway.conf.InvalidSettingException;
import io.spillway.transport.mpi.library.MpiKeys;
import io.spillway.transport.mpi.library.MpiLibrary;
import io.spillway.transport.mpi.library.MpiSettings;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The native part of the transport over MPI. */
@Command(
        name = "mpi",
        mixinStandardHelpOptions = true,
        description = "Prepares the transport over MPI, for node processes that are ranks.",
        footer = {
            "",
            "Example:",
            "  spillway mpi build --compiler mpicc.mpich",
            "",
            "Then: spillway node start --mpi, by mpirun or srun (docs/mpi.md)."
        },
        subcommands = {MpiCommands.Build.class})
public final class MpiCommands implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Say build.");
    }

    @Command(
            name = "build",
            mixinStandardHelpOptions = true,
            description = {
                "Compiles the native library by which the node process calls MPI, with the C"
                    + " compiler of this site's MPI library, and prints its path, the version of"
                    + " the MPI library and what to set."
            },
            footer = {
                "",
                "A node process does the same when it starts; this command is for a host that has"
                    + " the compiler and a JDK's headers, where the hosts of the ranks have not,"
                    + " and to see beforehand what fails. The library is kept in XDG_CACHE_HOME or"
                    + " ~/.cache, and compiled again for another compiler, JDK or version of"
                    + " Spillway.",
                "",
                "Examples:",
                "  spillway mpi build",
                "  spillway mpi build --compiler mpicc.mpich",
                "  spillway mpi build --compiler /opt/cray/pe/mpich/default/bin/mpicc"
            })
    public static final class Build implements Callable<Integer> {
        @Spec private CommandSpec spec;
        @Mixin private WorkOptions work;
        @Mixin private NodeOptions options;

        @Option(
                names = "--compiler",
                paramLabel = "MPICC",
                description =
                        "Command on the PATH, or absolute path (default: spillway.mpi.compiler,"
                                + " mpicc).")
        private String compiler;

        @Override
        public Integer call() {
            final MpiSettings settings = settings(options.lookup(work.folder()));
            final Path library;
            final String version;
            try {
                library = MpiLibrary.build(settings);
                version = MpiLibrary.version(settings);
            } catch (final IOException e) {
                throw new CommandException(e.getMessage(), e);
            }
            final PrintWriter out = spec.commandLine().getOut();
            out.println(library);
            out.println("MPI library: " + version);
            out.println(
                    "To set: "
                            + MpiKeys.MPI_COMPILER
                            + "="
                            + settings.compiler()
                            + ", or where ranks have no compiler "
                            + MpiKeys.MPI_LIBRARY
                            + "="
                            + library);
            out.println("To start: spillway node start --mpi, by mpirun or srun of this library");
            out.flush();
            return 0;
        }

        private MpiSettings settings(final Function<String, String> lookup) {
            final MpiSettings found = MpiSettings.from(lookup);
            return compiler == null
                    ? found
                    : new MpiSettings(Optional.empty(), checked(compiler), found.self());
        }

        private static String checked(final String command) {
            final Function<String, String> given =
                    name -> name.equals(MpiKeys.MPI_COMPILER.name()) ? command : null;
            try {
                return MpiKeys.MPI_COMPILER.get(given);
            } catch (final InvalidSettingException e) {
                throw new BadInputException("--compiler: " + e.getMessage());
            }
        }
    }
}
