// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.site.HadoopRuntime;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Whether there is a Hadoop, of a version that Spillway knows, and only one. */
final class HadoopCheck implements Check {
    private final List<HadoopHome> homes;
    private final String used;

    /**
     * Creates it.
     *
     * @param homes the installations found
     * @param used the version that the configuration's client has; empty where it cannot be run
     */
    HadoopCheck(final List<HadoopHome> homes, final String used) {
        this.homes = List.copyOf(homes);
        this.used = used;
    }

    @Override
    public String name() {
        return "hadoop";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        final String version = used.isEmpty() ? first() : used;
        if (!version.isEmpty() && !HadoopRuntime.isSupported(version)) {
            findings.add(
                    Finding.error(
                            "Hadoop " + version,
                            "Spillway is not tried with it: " + HadoopRuntime.SUPPORTED,
                            "docs/versions.md has the versions; run Hadoop "
                                    + HadoopRuntime.DEFAULT_VERSION));
        }
        if (homes.stream().map(HadoopHome::version).distinct().count() > 1) {
            findings.add(
                    Finding.warning(
                            "several versions of Hadoop: " + names(),
                            "daemons and clients may run with different ones",
                            "set HADOOP_HOME for daemons and users alike, or remove one"));
        }
        return findings;
    }

    private String first() {
        return homes.isEmpty() ? "" : homes.get(0).version();
    }

    private String names() {
        return homes.stream()
                .map(home -> home.version() + " in " + home.home())
                .collect(Collectors.joining(", "));
    }
}
