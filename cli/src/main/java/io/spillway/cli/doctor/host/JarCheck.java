// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.run.Engine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** Whether Spillway's jar is where clients, tasks and NodeManagers take it from, and once only. */
final class JarCheck implements Check {
    private static final String CLASS_PATH = "yarn.nodemanager.aux-services.mapreduce_shuffle";

    private final SiteFacts site;
    private final List<String> clientClassPath;

    JarCheck(final SiteFacts site, final List<String> clientClassPath) {
        this.site = site;
        this.clientClassPath = List.copyOf(clientClassPath);
    }

    @Override
    public String name() {
        return "jar";
    }

    @Override
    public List<Finding> look() throws IOException {
        final List<Finding> findings = new ArrayList<>();
        final List<Path> jars = SpillwayJars.on(clientClassPath);
        if (jars.isEmpty() && namesOurs()) {
            findings.add(
                    Finding.error(
                            "no spillway-hadoop jar on Hadoop's class path",
                            "the properties name its classes: NodeManagers do not start, tasks"
                                    + " fail",
                            "cp lib/spillway-hadoop-*.jar $HADOOP_HOME/share/hadoop/mapreduce/ on"
                                    + " every host"));
        }
        if (jars.size() > 1) {
            findings.add(several(jars));
        }
        for (final Path jar : jars) {
            if (!Files.getPosixFilePermissions(jar).contains(PosixFilePermission.OTHERS_READ)) {
                findings.add(
                        Finding.error(
                                jar + " is not readable by all",
                                "NodeManagers and tasks of other users fail with"
                                        + " ClassNotFoundException",
                                "chmod a+r " + jar));
            }
        }
        findings.addAll(auxServiceClassPath());
        return findings;
    }

    private boolean namesOurs() {
        return Engine.SPILLWAY.jobProperties().keySet().stream()
                .anyMatch(name -> site.properties().getOrDefault(name, "").contains("io.spillway"));
    }

    private static Finding several(final List<Path> jars) throws IOException {
        final TreeSet<String> sums = new TreeSet<>();
        for (final Path jar : jars) {
            sums.add(SpillwayJars.sum(jar));
        }
        final String what = "several spillway-hadoop jars on Hadoop's class path: " + jars;
        final String mend = "remove all but one: rm " + jars.get(jars.size() - 1);
        return sums.size() > 1
                ? Finding.error(what, "they differ, and either may be loaded", mend)
                : Finding.warning(what, "an upgrade may replace one of them only", mend);
    }

    /** The NodeManager can load the handler by a class loader of its own. */
    private List<Finding> auxServiceClassPath() {
        final List<Finding> findings = new ArrayList<>();
        site.property(CLASS_PATH + ".classpath")
                .filter(path -> SpillwayJars.on(List.of(path.split("[:,]", -1))).isEmpty())
                .ifPresent(
                        path ->
                                findings.add(
                                        Finding.error(
                                                CLASS_PATH
                                                        + ".classpath="
                                                        + path
                                                        + ": no jar there",
                                                "NodeManagers do not start",
                                                "copy spillway-hadoop-*.jar there")));
        site.property(CLASS_PATH + ".remote-classpath")
                .filter(path -> !SpillwayJars.is(path))
                .ifPresent(
                        path ->
                                findings.add(
                                        Finding.warning(
                                                CLASS_PATH + ".remote-classpath=" + path,
                                                "that is not named as Spillway's jar is",
                                                "name spillway-hadoop-*.jar, or remove it")));
        return findings;
    }
}
