// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Finds the Javas that daemons and tasks of this host run with. */
final class JavaHomes {
    private static final List<String> TASKS =
            List.of(
                    "mapreduce.map.env",
                    "mapreduce.reduce.env",
                    "yarn.app.mapreduce.am.env",
                    "mapreduce.admin.user.env");
    private static final Pattern HOME = Pattern.compile("(?:^|,)\\s*JAVA_HOME=([^,$]+)");

    private JavaHomes() {}

    /** Their folders, by what uses them. */
    static Map<String, Path> all(
            final HostFiles files,
            final Map<String, String> environment,
            final Optional<SiteFacts> site) {
        final Map<String, Path> homes = new TreeMap<>();
        Optional.ofNullable(environment.get("JAVA_HOME"))
                .filter(home -> home.startsWith("/"))
                .ifPresent(home -> homes.put("JAVA_HOME", Path.of(home)));
        for (final HadoopDaemon daemon : HadoopDaemon.all(files)) {
            daemon.javaHome(files).ifPresent(home -> homes.put(daemon.toString(), home));
        }
        for (final String property : TASKS) {
            site.flatMap(facts -> ofTasks(facts, property))
                    .ifPresent(home -> homes.put(property, home));
        }
        return homes;
    }

    private static Optional<Path> ofTasks(final SiteFacts site, final String property) {
        return site.property(property)
                .or(() -> site.property(property + ".JAVA_HOME").map(home -> "JAVA_HOME=" + home))
                .map(HOME::matcher)
                .filter(Matcher::find)
                .map(match -> match.group(1).strip())
                .filter(home -> home.startsWith("/"))
                .map(Path::of);
    }
}
