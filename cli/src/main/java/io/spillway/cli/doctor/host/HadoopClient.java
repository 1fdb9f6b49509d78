// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.site.InstalledHadoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A client of Hadoop that answers. Immutable.
 *
 * @param hadoop the installation
 * @param probe asks it
 * @param facts its first answer
 */
public record HadoopClient(InstalledHadoop hadoop, SiteProbe probe, SiteFacts facts) {
    /** The fact that names Spillway's jar. */
    public static final String JAR = "spillway jar";

    /** The fact that is Hadoop's version. */
    public static final String HADOOP = "hadoop";

    /** The value of a fact for what is not there. */
    public static final String NONE = "none";

    /** The versions of what it runs with; of Spillway's jar only where it is on the class path. */
    public Map<String, String> versions() {
        final Map<String, String> versions = new TreeMap<>();
        versions.put(HADOOP, facts.hadoop());
        jars().stream()
                .findFirst()
                .ifPresent(jar -> versions.put(JAR, SpillwayJars.version(jar.toString())));
        return versions;
    }

    /** The same, with a checksum of the jar. */
    Map<String, String> builds() throws IOException {
        final Map<String, String> builds = new TreeMap<>(versions());
        builds.putIfAbsent(JAR, NONE);
        if (!jars().isEmpty()) {
            builds.put(JAR, builds.get(JAR) + " (sha256 " + SpillwayJars.sum(jars().get(0)) + ")");
        }
        return builds;
    }

    private List<Path> jars() {
        return SpillwayJars.on(hadoop.clientClassPath());
    }
}
