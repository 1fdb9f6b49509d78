// SPDX-License-Identifier: Apache-2.0
package io.spillway.host;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** JVMs that tests start, of the Java and with the class path that the tests have. */
public final class TestJvm {
    private TestJvm() {}

    /** The command that runs a class, with options that make a short-lived JVM cheap. */
    public static List<String> command(
            final List<String> options, final Class<?> main, final String... arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return command;
    }
}
