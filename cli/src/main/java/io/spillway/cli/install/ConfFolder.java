// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.install;

import io.spillway.cli.doctor.host.HadoopHome;
import io.spillway.cli.doctor.host.HostFiles;
import io.spillway.cli.failure.BadInputException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Where a cluster's configuration is on this host. */
final class ConfFolder {
    static final String YARN_SITE = "yarn-site.xml";

    private static final List<String> VARIABLES = List.of("HADOOP_CONF_DIR", "YARN_CONF_DIR");
    private static final String OF_HOME = "etc/hadoop";

    private ConfFolder() {}

    /**
     * The folder that the environment names; else that of an installation by Apache's archive, a
     * vendor's packages or parcels.
     *
     * @throws BadInputException where there is none, or two are named
     */
    static Path find(final HostFiles files, final Map<String, String> environment) {
        final List<Path> named =
                VARIABLES.stream()
                        .map(variable -> environment.getOrDefault(variable, ""))
                        .filter(folder -> !folder.isBlank())
                        .map(folder -> Path.of(folder).toAbsolutePath().normalize())
                        .distinct()
                        .toList();
        if (named.size() > 1) {
            throw new BadInputException(
                    String.join(" and ", VARIABLES)
                            + " name two folders, "
                            + named
                            + ": give the one that NodeManagers use by --conf DIR");
        }
        return named.isEmpty() ? usual(files, environment) : require(named.get(0));
    }

    /** Checks a folder that the user or the environment names. */
    static Path require(final Path folder) {
        if (!Files.isRegularFile(folder.resolve(YARN_SITE))) {
            throw new BadInputException(
                    "no "
                            + folder.resolve(YARN_SITE)
                            + ": --conf or HADOOP_CONF_DIR must name Hadoop's configuration"
                            + " folder");
        }
        return folder;
    }

    private static Path usual(final HostFiles files, final Map<String, String> environment) {
        final List<Path> usual = new ArrayList<>();
        HadoopHome.all(files, environment).forEach(home -> usual.add(home.home().resolve(OF_HOME)));
        usual.add(files.at("/etc/hadoop/conf"));
        return usual.stream()
                .filter(folder -> Files.isRegularFile(folder.resolve(YARN_SITE)))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "no yarn-site.xml in "
                                                + usual
                                                + ": set HADOOP_CONF_DIR, or give --conf DIR"));
    }
}
