// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a JVM of a job has written down: which Java it is, its class path, and the classes that it
 * has loaded by the three class loaders that archives know. Immutable.
 *
 * @param javaHome its Java
 * @param classPath its class path, wildcards replaced
 * @param classes names
 */
record JvmRecording(Path javaHome, List<String> classPath, List<String> classes) {
    private static final String VM = ".vm";
    private static final String CLASSES = ".classes";

    /** Not what was made at run time: lambdas, proxies, method handles. */
    private static final Pattern LOADED =
            Pattern.compile("([^\\s/]+) source: (?:jrt:/|file:|shared objects file).*");

    /** Copies what is mutable. */
    JvmRecording {
        classPath = List.copyOf(classPath);
        classes = List.copyOf(classes);
    }

    /**
     * The options of a JVM that writes down what it loads, into files named by its container.
     *
     * @param folder one that the JVM may write to
     */
    static String options(final Path folder) {
        final String file = folder + "/{{CONTAINER_ID}}";
        return "-Xlog:class+load=info:file="
                + file
                + CLASSES
                + ":none -XX:+UnlockDiagnosticVMOptions -XX:+LogVMOutput -XX:LogFile="
                + file
                + VM;
    }

    /** All that JVMs have written into a folder, but for those that were ended too early. */
    static List<JvmRecording> readAll(final Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            final List<Path> vms =
                    files.filter(file -> file.toString().endsWith(VM)).sorted().toList();
            final Stream.Builder<JvmRecording> found = Stream.builder();
            for (final Path vm : vms) {
                read(vm).ifPresent(found);
            }
            return found.build().toList();
        }
    }

    private static Optional<JvmRecording> read(final Path vm) throws IOException {
        final Path classes = Path.of(vm.toString().replaceAll("\\.vm$", CLASSES));
        final List<String> properties = lines(vm);
        final Optional<String> home = property(properties, "java.home");
        final Optional<String> path = property(properties, "java.class.path");
        if (home.isEmpty() || path.isEmpty() || !Files.exists(classes)) {
            return Optional.empty();
        }
        final List<String> names =
                lines(classes).stream()
                        .map(LOADED::matcher)
                        .filter(Matcher::matches)
                        .map(loaded -> loaded.group(1))
                        .distinct()
                        .toList();
        return Optional.of(
                new JvmRecording(Path.of(home.get()), List.of(path.get().split(":", -1)), names));
    }

    private static List<String> lines(final Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8).lines().toList();
    }

    /** A system property in the JVM's log, which is XML. */
    private static Optional<String> property(final List<String> lines, final String name) {
        return lines.stream()
                .filter(line -> line.startsWith(name + "="))
                .map(line -> unescape(line.substring(name.length() + 1)))
                .findFirst();
    }

    private static String unescape(final String text) {
        return text.replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&quot;", "\"")
                .replace("&apos;", "'")
                .replace("&amp;", "&");
    }
}
