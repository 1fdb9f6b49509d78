// SPDX-License-Identifier: Apache-2.0
package io.spillway.node.launch;

import io.spillway.node.process.NodeMain;
import io.spillway.node.process.NodeMemory;
import java.io.File;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/**
 * How to start a node process: the command line and what is special about its environment.
 * Immutable.
 *
 * @param java the command
 * @param classPath of the process; in the environment, so that a list of processes stays readable
 * @param memory of its JVM
 * @param definitions properties that go before those of Hadoop's files
 * @param systemProperties of its JVM
 */
public record NodeCommand(
        Path java,
        String classPath,
        NodeMemory memory,
        Map<String, String> definitions,
        Map<String, String> systemProperties) {
    /** The variable of the environment that has the class path. */
    public static final String CLASS_PATH = "CLASSPATH";

    /**
     * The properties that a process needs with Hadoop's security: the path of the native library
     * that reads the owner of an open file, and the realm.
     */
    private static final List<String> OF_SECURITY =
            List.of("java.library.path", "java.security.krb5.conf");

    /** Copies the maps. */
    public NodeCommand {
        definitions = Map.copyOf(definitions);
        systemProperties = Map.copyOf(systemProperties);
    }

    /**
     * Returns the command of a process with this process's Java, class path, native libraries and
     * realm.
     *
     * @param settings decide on its memory
     * @param definitions properties to give it
     */
    public static NodeCommand likeThisProcess(
            final Function<String, String> settings, final Map<String, String> definitions) {
        final NodeCommand plain =
                of(
                        ownJar() + File.pathSeparator + System.getProperty("java.class.path"),
                        settings,
                        definitions);
        final Map<String, String> inherited = new TreeMap<>();
        for (final String name : OF_SECURITY) {
            Optional.ofNullable(System.getProperty(name))
                    .ifPresent(value -> inherited.put(name, value));
        }
        return new NodeCommand(
                plain.java, plain.classPath, plain.memory, plain.definitions, inherited);
    }

    /** For a process with this class path, and the Java of this one. */
    public static NodeCommand of(
            final String classPath,
            final Function<String, String> settings,
            final Map<String, String> definitions) {
        return new NodeCommand(
                Path.of(System.getProperty("java.home"), "bin", "java"),
                classPath,
                NodeMemory.of(settings),
                definitions,
                Map.of());
    }

    /** The NodeManager may have loaded us by a class loader of its own. */
    private static String ownJar() {
        final CodeSource source = NodeMain.class.getProtectionDomain().getCodeSource();
        try {
            return Path.of(source.getLocation().toURI()).toString();
        } catch (final URISyntaxException e) {
            throw new IllegalStateException("cannot tell where Spillway's classes lie", e);
        }
    }

    /**
     * The arguments, the command first.
     *
     * @param more arguments of {@link NodeMain}
     */
    public List<String> line(final List<String> more) {
        final List<String> line = new ArrayList<>();
        line.add(java.toString());
        line.addAll(options());
        line.add(NodeMain.class.getName());
        line.addAll(arguments());
        line.addAll(more);
        return line;
    }

    /** The options of its JVM. */
    public List<String> options() {
        final List<String> options = new ArrayList<>(memory.options());
        options.add("-XX:+ExitOnOutOfMemoryError");
        options.add("-Djava.awt.headless=true");
        new TreeMap<>(systemProperties)
                .forEach((name, value) -> options.add("-D" + name + "=" + value));
        return List.copyOf(options);
    }

    /** The arguments of {@link NodeMain} that give it the definitions. */
    public List<String> arguments() {
        final List<String> arguments = new ArrayList<>();
        new TreeMap<>(definitions)
                .forEach(
                        (name, value) -> {
                            arguments.add("-D");
                            arguments.add(name + "=" + value);
                        });
        return arguments;
    }

    /** A process builder with command line and environment set. */
    public ProcessBuilder builder(final List<String> more) {
        final ProcessBuilder builder = new ProcessBuilder(line(more));
        builder.environment().put(CLASS_PATH, classPath);
        // UCX would else take the signals by which the JVM works.
        builder.environment().putIfAbsent("UCX_ERROR_SIGNALS", "");
        builder.redirectErrorStream(true);
        builder.redirectInput(new File("/dev/null"));
        return builder;
    }
}
