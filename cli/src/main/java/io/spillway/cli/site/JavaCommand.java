// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import java.nio.file.Path;

/** The java command of the JVM we run in. */
public final class JavaCommand {
    private JavaCommand() {}

    /** Its path. */
    public static String path() {
        return home().resolve("bin/java").toString();
    }

    /** The folder that {@code JAVA_HOME} should name. */
    public static Path home() {
        return Path.of(System.getProperty("java.home"));
    }
}
