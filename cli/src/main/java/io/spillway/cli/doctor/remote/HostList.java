// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.remote;

import io.spillway.cli.failure.BadInputException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** Names of hosts, as people and Slurm give them. */
public final class HostList {
    private static final String SLURM = "SLURM_JOB_NODELIST";

    private HostList() {}

    /**
     * Of a file with a name in each line, or of names with commas between.
     *
     * @throws BadInputException when there is none
     */
    public static List<String> parse(final String fileOrList) {
        final Path file = Path.of(fileOrList);
        try {
            return names(
                    Files.isRegularFile(file)
                            ? Files.readAllLines(file).stream()
                            : Stream.of(fileOrList.split(",", -1)),
                    "--hosts " + fileOrList);
        } catch (final IOException e) {
            throw new BadInputException("--hosts " + fileOrList + ": " + e);
        }
    }

    /**
     * Those of the Slurm allocation that this process runs in.
     *
     * @throws BadInputException when it runs in none
     */
    public static List<String> ofSlurm(final Map<String, String> environment) {
        return ofSlurm(environment, "scontrol");
    }

    static List<String> ofSlurm(final Map<String, String> environment, final String scontrol) {
        final String nodes = environment.getOrDefault(SLURM, "");
        if (nodes.isBlank()) {
            throw new BadInputException(
                    "--slurm: " + SLURM + " is not set; run it in an allocation (salloc, sbatch)");
        }
        try {
            final ProcessBuilder builder = new ProcessBuilder(scontrol, "show", "hostnames", nodes);
            builder.redirectError(ProcessBuilder.Redirect.DISCARD);
            final Process process = builder.start();
            final String text =
                    new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return names(text.lines(), SLURM + "=" + nodes);
        } catch (final IOException e) {
            throw new BadInputException("--slurm: cannot run scontrol: " + e.getMessage());
        }
    }

    private static List<String> names(final Stream<String> texts, final String of) {
        final List<String> names =
                texts.map(text -> text.replaceFirst("#.*", "").strip())
                        .filter(text -> !text.isEmpty())
                        .map(text -> text.split("\\s+", -1)[0])
                        .distinct()
                        .toList();
        if (names.isEmpty()) {
            throw new BadInputException(of + ": no host in it");
        }
        for (final String name : names) {
            if (name.startsWith("-")) {
                throw new BadInputException(of + ": " + name + " is no name of a host");
            }
        }
        return names;
    }
}
