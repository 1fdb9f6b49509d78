// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.site.InstalledHadoop;
import io.spillway.cli.site.PlugIn;
import io.spillway.cli.site.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Whether a client of Hadoop can run on this host; keeps what it says. */
final class SiteCheck implements Check {
    private static final String HOME = "HADOOP_HOME";
    private static final String CONF = "HADOOP_CONF_DIR";
    private static final Duration PROBE_LIMIT = Duration.ofSeconds(15);

    private final WorkFolder work;
    private final PlugIn plugIn;
    private final Map<String, String> environment;
    private volatile HadoopClient found;

    /**
     * Creates it.
     *
     * @param homes installations that are taken where the environment names none
     */
    SiteCheck(
            final WorkFolder work,
            final PlugIn plugIn,
            final HostFiles files,
            final Map<String, String> environment,
            final List<HadoopHome> homes) {
        this.work = work;
        this.plugIn = plugIn;
        this.environment = environment(files, environment, homes);
    }

    private static Map<String, String> environment(
            final HostFiles files, final Map<String, String> given, final List<HadoopHome> homes) {
        final Map<String, String> environment = new HashMap<>(given);
        if (given.containsKey(HOME) || given.containsKey(CONF)) {
            return environment;
        }
        if (!homes.isEmpty()) {
            environment.put(HOME, homes.get(0).home().toString());
        }
        final Path conf = files.at("/etc/hadoop/conf");
        if (Files.isDirectory(conf)) {
            environment.put(CONF, conf.toString());
        }
        return environment;
    }

    @Override
    public String name() {
        return "hadoop";
    }

    @Override
    public List<Finding> look() {
        try {
            final Optional<InstalledHadoop> hadoop =
                    InstalledHadoop.find(work, plugIn, environment);
            if (hadoop.isEmpty()) {
                return List.of(cannot("no Hadoop found"));
            }
            final SiteProbe probe = new SiteProbe(hadoop.get(), PROBE_LIMIT);
            found = new HadoopClient(hadoop.get(), probe, probe.facts());
            return List.of();
        } catch (final BadInputException | IOException e) {
            return List.of(cannot(e.getMessage()));
        }
    }

    private static Finding cannot(final String what) {
        return Finding.error(
                what,
                "no job can be submitted from here, and nothing of its configuration was looked"
                        + " at",
                "set HADOOP_HOME and HADOOP_CONF_DIR to the installation and its configuration");
    }

    /** What has answered; nothing where none has. */
    Optional<HadoopClient> client() {
        return Optional.ofNullable(found);
    }
}
