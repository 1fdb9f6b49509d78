package io.spillway.bench.mpi;

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

    private static final List<String> NAMES =
            List.of("mpirun.openmpi", "mpirun", "mpiexec.mpich", "mpiexec");

    /**
     * The launcher of a name, or the first that is found.
     *
     * @param name a command or a path; empty for whatever there is
     * @param pathOrNull as the variable PATH
     * @throws IOException that says what to change
     */
    public static Mpirun find(final String name, final String pathOrNull) throws IOException {
        final List<String> names = name.isEmpty() ? NAMES : List.of(name);
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
        final List<String> command = new ArrayList<>(List.of(program.toString()));
        if (isOpenMpi) {
            command.addAll(List.of("--oversubscribe", "--bind-to", "none"));
        }
        command.addAll(List.of("-n", String.valueOf(number)));
        command.addAll(rank);
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment()
                .putAll(
                        Map.of(
                                "OMPI_ALLOW_RUN_AS_ROOT", "1",
                                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"));
        return builder;
    }
}
