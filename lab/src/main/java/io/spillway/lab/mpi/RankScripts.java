// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.mpi;

import io.spillway.cli.option.ShellWord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Shell scripts between the launcher of an MPI library and ranks that differ from each other.
 * Immutable.
 *
 * @param folder of the scripts
 */
public record RankScripts(Path folder) {
    /**
     * One rank.
     *
     * @param line the words of its command
     * @param log takes what it prints
     * @param pid takes its process id
     */
    public record Rank(List<String> line, Path log, Path pid) {
        /** Copies the words. */
        public Rank {
            line = List.copyOf(line);
        }
    }

    private static final String RANK =
            """
            # One rank of an MPI world. Open MPI and MPICH each have a variable that tells which.
            case ${OMPI_COMM_WORLD_RANK:-${PMI_RANK-}} in
            %s*) echo "rank ${OMPI_COMM_WORLD_RANK:-${PMI_RANK-}}: expected 0 to %d" >&2; exit 2 ;;
            esac
            echo $$ >"$pid"
            exec "$@" >>"$log" 2>&1
            """;

    /** Hydra says ssh's option -x, too. */
    private static final String AGENT =
            """
            #!/bin/sh
            # Runs the command of a launcher on another host, as ssh would.
            while [ "${1#-}" != "$1" ]; do shift; done
            host=$1
            shift
            case $host in
            %s*) echo "host $host: not of this cluster" >&2; exit 255 ;;
            esac
            """;

    /**
     * Writes what becomes each of the ranks.
     *
     * @param ranks in their order
     * @return the command that the launcher runs for each
     */
    public List<String> write(final List<Rank> ranks) throws IOException {
        final StringBuilder cases = new StringBuilder();
        for (int i = 0; i < ranks.size(); i++) {
            final Rank rank = ranks.get(i);
            cases.append(i).append(") log=").append(ShellWord.quoted(rank.log().toString()));
            cases.append(" pid=").append(ShellWord.quoted(rank.pid().toString()));
            cases.append("\n  set -- ").append(ShellWord.line(rank.line())).append(" ;;\n");
        }
        final Path script = folder.resolve("rank.sh");
        Files.createDirectories(folder);
        Files.writeString(script, RANK.formatted(cases, ranks.size() - 1));
        return List.of("sh", script.toString());
    }

    /**
     * Writes what stands for ssh.
     *
     * @param onHost by a host's name, the words that go before a command that is to run there
     * @return the script
     */
    public Path writeAgent(final Map<String, List<String>> onHost) throws IOException {
        final StringBuilder cases = new StringBuilder();
        new TreeMap<>(onHost)
                .forEach(
                        (host, words) ->
                                cases.append(ShellWord.quoted(host))
                                        .append(") exec ")
                                        .append(ShellWord.line(words))
                                        .append(" sh -c \"$*\" ;;\n"));
        final Path script = folder.resolve("remote-shell.sh");
        Files.createDirectories(folder);
        Files.writeString(script, AGENT.formatted(cases));
        Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
        return script;
    }
}
