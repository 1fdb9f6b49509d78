// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.mpi;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The launcher of an MPI library, and the compiler that goes with it. Immutable.
 *
 * @param program its path
 * @param isOpenMpi whether it is that of Open MPI, which has options of its own
 */
public record Mpirun(Path program, boolean isOpenMpi) {
    /** The option of the command line that names it. */
    public static final String OPTION = "--mpirun";

    /** In place of a name: the first of those that is found. */
    public static final String ANY = "auto";

    private static final List<String> NAMES =
            List.of("mpirun.openmpi", "mpirun", "mpiexec.mpich", "mpiexec");

    /**
     * The launcher of a name, or the first that is found.
     *
     * @param name a command or a path, or {@link #ANY}
     * @param pathOrNull as the variable PATH
     * @throws IOException that says what to change
     */
    public static Mpirun find(final String name, final String pathOrNull) throws IOException {
        final List<String> names = name.equals(ANY) ? NAMES : List.of(name);
        for (final String each : names) {
            final Optional<Path> program = program(each, pathOrNull);
            if (program.isPresent()) {
                return new Mpirun(program.get(), isOpenMpi(program.get()));
            }
        }
        throw new IOException(
                "none of "
                        + String.join(", ", names)
                        + " is on the PATH; load your site's MPI module, or name its launcher by "
                        + OPTION);
    }

    private static Optional<Path> program(final String name, final String pathOrNull) {
        final Stream<Path> places =
                name.startsWith("/")
                        ? Stream.of(Path.of(name))
                        : Pattern.compile(File.pathSeparator, Pattern.LITERAL)
                                .splitAsStream(pathOrNull == null ? "" : pathOrNull)
                                .filter(folder -> folder.startsWith("/"))
                                .map(folder -> Path.of(folder, name));
        return places.filter(Files::isRegularFile).filter(Files::isExecutable).findFirst();
    }

    private static boolean isOpenMpi(final Path program) throws IOException {
        final Process process =
                new ProcessBuilder(program.toString(), "--version")
                        .redirectErrorStream(true)
                        .redirectInput(new File("/dev/null"))
                        .start();
        final String text =
                new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return text.contains("Open MPI") || text.contains("OpenRTE");
    }

    /** The compiler beside the launcher, with the ending that Debian gives to both. */
    public String compiler() {
        final String name = program.getFileName().toString();
        final int dot = name.indexOf('.');
        final String compiler = "mpicc" + (dot < 0 ? "" : name.substring(dot));
        return program.resolveSibling(compiler).toString();
    }

    /**
     * A process that starts so many ranks on this host. No rank is bound to a core, as none is
     * where a host has one rank.
     */
    public ProcessBuilder ranks(final int number, final List<String> rank) {
        final ProcessBuilder builder = new ProcessBuilder(line(number, rank));
        builder.environment().putAll(environment());
        return builder;
    }

    /** The words of the command that does. */
    public List<String> line(final int number, final List<String> rank) {
        return line(isOpenMpi ? List.of("--oversubscribe") : List.of(), number, rank);
    }

    /**
     * The words of a command that starts one rank on each host, in the order of the hosts.
     *
     * @param remoteShell is called as ssh is, with a host and a command
     */
    public List<String> line(
            final List<String> hosts, final Path remoteShell, final List<String> rank) {
        final String all = String.join(",", hosts);
        final String shell = remoteShell.toString();
        return line(
                isOpenMpi
                        ? List.of(
                                "--host",
                                all,
                                "--map-by",
                                "ppr:1:node",
                                "--mca",
                                "plm_rsh_agent",
                                shell)
                        : List.of(
                                "-hosts",
                                all,
                                "-ppn",
                                "1",
                                "-launcher",
                                "ssh",
                                "-launcher-exec",
                                shell),
                hosts.size(),
                rank);
    }

    private List<String> line(
            final List<String> options, final int number, final List<String> rank) {
        final List<String> line = new ArrayList<>(List.of(program.toString()));
        line.addAll(options);
        if (isOpenMpi) {
            line.addAll(List.of("--bind-to", "none"));
        }
        line.addAll(List.of("-n", String.valueOf(number)));
        line.addAll(rank);
        return line;
    }

    /** What the environment of the command needs to have. */
    public Map<String, String> environment() {
        return Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    }
}
