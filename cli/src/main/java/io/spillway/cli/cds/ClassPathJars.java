// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import java.util.zip.ZipFile;

/** Knows what jars may stand before a site's configuration folder, and tells jars apart. */
final class ClassPathJars {
    /**
     * Files that a site keeps in its configuration folder. A jar that holds one must not come
     * before that folder: the jars of Hadoop's tests hold site files, that of the NodeManager holds
     * the tasks' logging.
     */
    private static final Pattern CONFIGURATION =
            Pattern.compile(
                    "[^/]+-site\\.xml|[^/]*log4j[^/]*\\.(properties|xml)"
                            + "|hadoop-metrics2[^/]*\\.properties|commons-logging\\.properties");

    private ClassPathJars() {}

    /** Whether an entry is a jar of this host that holds no site's configuration. */
    static boolean mayComeFirst(final Path entry) {
        if (!entry.isAbsolute()
                || !entry.toString().endsWith(".jar")
                || !Files.isRegularFile(entry)) {
            return false;
        }
        try (ZipFile jar = new ZipFile(entry.toFile())) {
            return jar.stream().noneMatch(file -> CONFIGURATION.matcher(file.getName()).matches());
        } catch (final IOException e) {
            return false; // no jar, whatever its name
        }
    }

    /** What the JVM compares: where a jar is, its size in bytes and its time in milliseconds. */
    static String stamp(final Path jar) {
        try {
            return jar + " " + Files.size(jar) + " " + Files.getLastModifiedTime(jar).toMillis();
        } catch (final IOException e) {
            throw new CommandException("cannot read " + jar + ", a jar of the tasks: " + e, e);
        }
    }
}
