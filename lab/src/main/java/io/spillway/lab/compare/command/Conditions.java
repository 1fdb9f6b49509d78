// SPDX-License-Identifier: Apache-2.0
package io.spillway.lab.compare.command;

import io.spillway.cli.site.HadoopSite;
import io.spillway.lab.compare.Comparison;
import io.spillway.lab.job.LabJar;
import io.spillway.lab.report.Commit;
import io.spillway.lab.report.Machine;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** What the figures of a comparison depend on, by name: the same for runs that may be compared. */
final class Conditions {
    private Conditions() {}

    /**
     * What is known before anything starts.
     *
     * @param sharesClassData whether the jobs' JVMs get an archive of class data
     * @param checkout that Spillway was built from
     */
    static Map<String, String> of(
            final Comparison.Plan plan, final boolean sharesClassData, final Path checkout) {
        final Map<String, String> conditions = new TreeMap<>();
        putAll("", plan.facts(), conditions);
        conditions.put("--cds", String.valueOf(sharesClassData));
        conditions.put("commit", Commit.idOf(checkout));
        final Machine machine = Machine.thisOne("");
        conditions.put("host", hostName());
        conditions.put("cores", String.valueOf(machine.cores()));
        conditions.put("cpu", machine.cpu());
        conditions.put("memory in MB", String.valueOf(machine.memoryMb()));
        conditions.put("kernel", machine.kernel());
        conditions.put("java", machine.java());
        return conditions;
    }

    /** What is known of the place where jobs run. */
    static Map<String, String> of(final HadoopSite site) {
        final Map<String, String> conditions = new TreeMap<>();
        putAll("", site.facts(), conditions);
        conditions.put("hadoop", site.hadoopVersion());
        conditions.put("build", LabJar.checksumWith(site.plugIn()));
        return conditions;
    }

    /** Each property is a condition of its own, so that only the one that differs is named. */
    private static void putAll(
            final String prefix, final Map<?, ?> facts, final Map<String, String> conditions) {
        facts.forEach(
                (name, value) -> {
                    if (value instanceof Map<?, ?> group) {
                        putAll(name + " ", group, conditions);
                    } else {
                        conditions.put(prefix + name, String.valueOf(value));
                    }
                });
    }

    private static String hostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (final UnknownHostException e) {
            return "unknown"; // a host whose name has no address; local clusters need one
        }
    }
}
