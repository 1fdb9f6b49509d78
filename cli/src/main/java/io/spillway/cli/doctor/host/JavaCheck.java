// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.doctor.host;

import io.spillway.cli.doctor.check.Check;
import io.spillway.cli.doctor.check.Finding;
import io.spillway.cli.site.HadoopRuntime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Whether daemons and tasks run with a Java that Spillway's classes and Hadoop's run with. */
final class JavaCheck implements Check {
    private static final int OLDEST = 17;
    private static final int NEWEST_TRIED = 21;
    private static final Pattern VERSION =
            Pattern.compile("^JAVA_VERSION=\"(?:1\\.)?(\\d+)", Pattern.MULTILINE);

    private final Map<String, Path> homes;
    private final String hadoop;

    /**
     * Creates it.
     *
     * @param homes the folders of the Javas in use, by what uses them
     * @param hadoop Hadoop's version; empty where it is not known
     */
    JavaCheck(final Map<String, Path> homes, final String hadoop) {
        this.homes = Map.copyOf(homes);
        this.hadoop = hadoop;
    }

    @Override
    public String name() {
        return "java";
    }

    @Override
    public List<Finding> look() {
        final List<Finding> findings = new ArrayList<>();
        homes.forEach(
                (user, home) -> {
                    if (!Files.isExecutable(home.resolve("bin/java"))) {
                        findings.add(
                                Finding.error(
                                        user + " has no Java: " + home,
                                        "it cannot start",
                                        "set JAVA_HOME to a folder with bin/java of Java "
                                                + OLDEST));
                        return;
                    }
                    feature(home).ifPresent(feature -> add(findings, user, home, feature));
                });
        return findings;
    }

    private void add(
            final List<Finding> findings, final String user, final Path home, final int feature) {
        final String what = user + " runs Java " + feature + " of " + home;
        if (feature < OLDEST) {
            findings.add(
                    Finding.error(
                            what,
                            "Spillway's classes are of Java "
                                    + OLDEST
                                    + ": it fails with UnsupportedClassVersionError",
                            "set JAVA_HOME to Java 17 or 21: in hadoop-env.sh for daemons, by"
                                    + " mapreduce.map.env and mapreduce.reduce.env for tasks"));
        } else if (!hadoop.isEmpty() && !HadoopRuntime.runsOn(hadoop, feature)) {
            findings.add(
                    Finding.error(
                            what,
                            "Hadoop " + hadoop + " does not run there",
                            "set JAVA_HOME to Java 17 or 21"));
        } else if (feature > NEWEST_TRIED) {
            findings.add(
                    Finding.warning(
                            what,
                            "nothing was tried there",
                            "set JAVA_HOME to Java 17 or 21 (docs/versions.md)"));
        }
    }

    /** As its file {@code release} says; packages without one are not judged. */
    static Optional<Integer> feature(final Path home) {
        return release(home)
                .or(() -> Optional.ofNullable(home.getParent()).flatMap(JavaCheck::release));
    }

    /** Java 8 has its file in the folder above that of {@code bin/java} in a JDK. */
    private static Optional<Integer> release(final Path folder) {
        try {
            final Matcher match = VERSION.matcher(Files.readString(folder.resolve("release")));
            return match.find() ? Optional.of(Integer.valueOf(match.group(1))) : Optional.empty();
        } catch (final IOException e) {
            return Optional.empty();
        }
    }
}
