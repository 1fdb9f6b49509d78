// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.cds;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.zip.CRC32C;

/**
 * What an archive is made of. As a text file it can be carried to other hosts, which then make
 * their own archive without a job. Immutable.
 *
 * @param javaHome the Java of the tasks
 * @param jars the archive's class path, in the order of the tasks' class path
 * @param classes names of the classes to load
 */
public record ArchiveRecipe(Path javaHome, List<Path> jars, List<String> classes) {
    private static final String JAVA = "java ";
    private static final String JAR = "jar ";
    private static final String CLASS = "class ";

    /** Copies what is mutable. */
    public ArchiveRecipe {
        jars = List.copyOf(jars);
        classes = List.copyOf(classes);
    }

    /**
     * The recipe for JVMs like these.
     *
     * @param isLasting whether an entry of their class path is there for later jobs too
     * @throws CommandException where the JVMs are of several Javas, or none of their jars lasts
     */
    static ArchiveRecipe of(final List<JvmRecording> jvms, final Predicate<String> isLasting) {
        final Set<Path> homes = new LinkedHashSet<>();
        final Set<String> entries = new LinkedHashSet<>();
        final Set<String> classes = new TreeSet<>();
        for (final JvmRecording jvm : jvms) {
            homes.add(jvm.javaHome());
            entries.addAll(jvm.classPath());
            classes.addAll(jvm.classes());
        }
        if (homes.size() != 1) {
            throw new CommandException(
                    "the JVMs of a job have to be of one Java for class-data sharing, found "
                            + homes);
        }
        final List<Path> jars =
                entries.stream()
                        .filter(isLasting)
                        .map(Path::of)
                        .filter(ClassPathJars::mayComeFirst)
                        .toList();
        if (jars.isEmpty()) {
            throw new CommandException(
                    "no jar of the tasks' class path is on this host and outlives a job, as with"
                            + " mapreduce.application.framework.path: their classes cannot be"
                            + " shared");
        }
        return new ArchiveRecipe(homes.iterator().next(), jars, List.copyOf(classes));
    }

    /**
     * Reads one from a file.
     *
     * @throws BadInputException where the file is none
     */
    public static ArchiveRecipe read(final Path file) {
        final List<Path> homes = new ArrayList<>();
        final List<Path> jars = new ArrayList<>();
        final List<String> classes = new ArrayList<>();
        for (final String line : lines(file)) {
            if (line.startsWith(JAVA)) {
                homes.add(Path.of(line.substring(JAVA.length())));
            } else if (line.startsWith(JAR)) {
                jars.add(Path.of(line.substring(JAR.length())));
            } else if (line.startsWith(CLASS)) {
                classes.add(line.substring(CLASS.length()));
            }
        }
        if (homes.size() != 1 || jars.isEmpty() || classes.isEmpty()) {
            throw new BadInputException(
                    file + ": expected the list that spillway cds leaves beside an archive");
        }
        return new ArchiveRecipe(homes.get(0), jars, classes);
    }

    private static List<String> lines(final Path file) {
        try {
            return Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (final IOException e) {
            throw new BadInputException("cannot read " + file + ": " + e);
        }
    }

    void write(final Path file) throws IOException {
        final List<String> lines = new ArrayList<>();
        lines.add(JAVA + javaHome);
        jars.forEach(jar -> lines.add(JAR + jar));
        classes.forEach(name -> lines.add(CLASS + name));
        Files.write(file, lines, StandardCharsets.UTF_8);
    }

    /** Whether a jar's file name begins with this. */
    public boolean hasJar(final String name) {
        return jars.stream().anyMatch(jar -> jar.getFileName().toString().startsWith(name));
    }

    /** The jars, as a JVM takes them. */
    String classPath() {
        return jars.stream().map(Path::toString).collect(Collectors.joining(":"));
    }

    /** The command of its Java. */
    Path java() {
        return javaHome.resolve("bin/java");
    }

    /**
     * A name, without an ending, that another build of the JDK or another jar at the same place
     * changes.
     *
     * @param build of the JDK
     * @throws CommandException where a jar is not there
     */
    String name(final JavaBuild build) {
        final CRC32C checksum = new CRC32C();
        checksum.update(build.identity().getBytes(StandardCharsets.UTF_8));
        for (final Path jar : jars) {
            checksum.update(ClassPathJars.stamp(jar).getBytes(StandardCharsets.UTF_8));
        }
        return String.format(Locale.ROOT, "tasks-%s-%08x", build.version(), checksum.getValue());
    }
}
