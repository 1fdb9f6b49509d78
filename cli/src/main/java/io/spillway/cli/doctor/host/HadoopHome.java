// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A Hadoop that is installed on this host, by Apache's archive, a vendor's packages or parcels.
 *
 * @param home its folder
 * @param version such as {@code 3.4.2}, of the name of its jar
 */
public record HadoopHome(Path home, String version) {
    private static final Pattern COMMON_JAR = Pattern.compile("hadoop-common-(\\d.*)\\.jar");

    /** Where installations are, with one name for all entries of a folder. */
    private static final List<String> PLACES =
            List.of(
                    "/usr/lib/hadoop*",
                    "/opt/hadoop*",
                    "/usr/local/hadoop*",
                    "/usr/hdp/current/hadoop-client",
                    "/opt/cloudera/parcels/CDH*/lib/hadoop");

    /** Those that the environment names first, then those in the usual places. */
    public static List<HadoopHome> all(
            final HostFiles files, final Map<String, String> environment) {
        final Set<Path> folders = new LinkedHashSet<>();
        Optional.ofNullable(environment.get("HADOOP_HOME"))
                .filter(home -> !home.isBlank())
                .ifPresent(home -> folders.add(Path.of(home)));
        onPath(environment).ifPresent(folders::add);
        PLACES.forEach(place -> folders.addAll(expand(files.root(), place)));
        return folders.stream().flatMap(folder -> of(folder).stream()).distinct().toList();
    }

    private static Optional<Path> onPath(final Map<String, String> environment) {
        return Stream.of(environment.getOrDefault("PATH", "").split(":", -1))
                .filter(folder -> folder.startsWith("/"))
                .map(folder -> Path.of(folder, "hadoop"))
                .filter(Files::isExecutable)
                .findFirst()
                .map(command -> command.getParent().getParent());
    }

    private static Set<Path> expand(final Path root, final String place) {
        Set<Path> folders = Set.of(root);
        for (final String part : place.substring(1).split("/", -1)) {
            final Set<Path> next = new LinkedHashSet<>();
            for (final Path folder : folders) {
                if (part.endsWith("*")) {
                    final String start = part.substring(0, part.length() - 1);
                    HostFiles.list(folder).stream()
                            .filter(path -> path.getFileName().toString().startsWith(start))
                            .filter(Files::isDirectory)
                            .forEach(next::add);
                } else if (Files.isDirectory(folder.resolve(part))) {
                    next.add(folder.resolve(part));
                }
            }
            folders = next;
        }
        return folders;
    }

    /** The one in a folder: vendors put its jars into the folder itself. */
    static Optional<HadoopHome> of(final Path folder) {
        return Stream.of(folder.resolve("share/hadoop/common"), folder)
                .flatMap(jars -> HostFiles.list(jars).stream())
                .map(jar -> COMMON_JAR.matcher(jar.getFileName().toString()))
                .filter(Matcher::matches)
                .map(match -> match.group(1))
                .filter(version -> !version.contains("tests") && !version.contains("sources"))
                .findFirst()
                .map(version -> new HadoopHome(folder, version));
    }
}
