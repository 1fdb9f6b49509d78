// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The jars of one unmodified Hadoop release, resolved by Maven once and kept in the work folder.
 *
 * <p>Immutable and thread-safe; several processes may resolve the same release at a time.
 */
public final class HadoopRuntime {
    /** The release used where none is asked for. */
    public static final String DEFAULT_VERSION = "3.5.0";

    /** The releases that Spillway runs with, in words. */
    public static final String SUPPORTED = "expected a Hadoop release from 3.4.0 on, as 3.5.0";

    private static final Pattern VERSION = Pattern.compile("3\\.\\d{1,3}\\.\\d{1,3}");
    private static final Pattern MINOR = Pattern.compile("3\\.(\\d{1,3})\\.");
    private static final int OLDEST_MINOR = 4;
    private static final String POM = "cli/src/main/hadoop-runtime/pom.xml";
    private static final String COMMAND = "bin/hadoop";

    /** The web pages the NameNode and DataNode look for, which their jar lacks. */
    private static final List<String> HDFS_PAGES =
            List.of("hdfs", "datanode", "secondary", "journal", "nfs3");

    private final String version;
    private final Path folder;
    private final Path pom;

    private HadoopRuntime(final String version, final Path folder, final Path pom) {
        this.version = version;
        this.folder = folder;
        this.pom = pom;
    }

    /**
     * Finds the release in the work folder, or has Maven fetch it.
     *
     * @param progress receives a line when something has to be fetched
     * @throws BadInputException when there is no such release
     */
    public static HadoopRuntime resolve(
            final WorkFolder work, final String version, final Consumer<String> progress) {
        checkVersion(version);
        final HadoopRuntime runtime = known(work, version);
        if (!Files.isDirectory(runtime.lib())) {
            progress.accept("Fetching the jars of Hadoop " + version + " (once)");
            runtime.fetch("lib", List.of());
        }
        runtime.writePages();
        runtime.writeCommand();
        return runtime;
    }

    /** The release as it lies in the work folder, whether or not it is there; fetches nothing. */
    public static HadoopRuntime known(final WorkFolder work, final String version) {
        return new HadoopRuntime(version, work.hadoop(version), work.repository().resolve(POM));
    }

    private static void checkVersion(final String version) {
        if (!VERSION.matcher(version).matches() || !isSupported(version)) {
            throw new BadInputException("--hadoop " + version + ": " + SUPPORTED);
        }
        if (!runsOn(version, Runtime.version().feature())) {
            throw new BadInputException(
                    "Hadoop "
                            + version
                            + " does not run on Java "
                            + Runtime.version().feature()
                            + "; use Java 17 or 21 (JAVA_HOME), or --hadoop "
                            + DEFAULT_VERSION);
        }
    }

    /**
     * Whether Spillway runs with a release.
     *
     * @param version as {@code 3.5.0}, also with what a vendor has added
     */
    public static boolean isSupported(final String version) {
        final Matcher match = MINOR.matcher(version);
        return match.lookingAt() && Integer.parseInt(match.group(1)) >= OLDEST_MINOR;
    }

    /** Whether a release of Hadoop runs on a Java of this feature number. */
    public static boolean runsOn(final String version, final int feature) {
        return !version.startsWith("3.4.") || feature < 24;
    }

    /** The release, as {@code 3.5.0}. */
    public String version() {
        return version;
    }

    /** As an installation: the command, and the jars. */
    public HadoopCommand home() {
        return new HadoopCommand(Optional.of(folder));
    }

    /** The folder of all jars. */
    public Path lib() {
        return folder.resolve("lib");
    }

    /** Class path entries of daemons, clients and tasks. */
    public List<String> classPath() {
        return List.of(lib() + "/*", pages().toString());
    }

    /** Hadoop's own example programs. */
    public Path examplesJar() {
        return find(lib(), "hadoop-mapreduce-examples-")
                .orElseThrow(() -> new CommandException("no examples jar in " + lib()));
    }

    /**
     * The jars of Hadoop's Java sources: the text of the word workloads.
     *
     * @param progress receives a line when something has to be fetched
     */
    public List<Path> sourceJars(final Consumer<String> progress) {
        final Path sources = folder.resolve("sources");
        if (!Files.isDirectory(sources)) {
            progress.accept("Fetching the sources of Hadoop " + version + " as text (once)");
            fetch(
                    "sources",
                    List.of("-Dclassifier=sources", "-DincludeGroupIds=org.apache.hadoop"));
        }
        try (Stream<Path> jars = Files.list(sources)) {
            return jars.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + sources + ": " + e, e);
        }
    }

    private static Optional<Path> find(final Path folder, final String prefix) {
        try (Stream<Path> jars = Files.list(folder)) {
            return jars.filter(jar -> jar.getFileName().toString().startsWith(prefix)).findFirst();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + folder + ": " + e, e);
        }
    }

    /** Has Maven copy jars into a folder beside, which then takes its name in one step. */
    private void fetch(final String name, final List<String> options) {
        if (!Files.isRegularFile(pom)) {
            throw new CommandException("no " + pom + ": run from a checkout of Spillway");
        }
        final Path partial = folder.resolve(name + ".partial-" + ProcessHandle.current().pid());
        final Path log = folder.resolve(name + ".log");
        try {
            Files.createDirectories(folder);
            runMaven(partial, log, options);
            publish(partial, folder.resolve(name));
            Files.deleteIfExists(log);
        } catch (final IOException e) {
            throw new CommandException("cannot fetch Hadoop " + version + ": " + e, e);
        } finally {
            deleteQuietly(partial);
        }
    }

    private void writePages() {
        try {
            for (final String page : HDFS_PAGES) {
                final Path info = pages().resolve("webapps").resolve(page).resolve("WEB-INF");
                if (!Files.exists(info.resolve("web.xml"))) {
                    Files.createDirectories(info);
                    Files.writeString(info.resolve("web.xml"), "<web-app/>\n");
                }
            }
        } catch (final IOException e) {
            throw new CommandException("cannot write to " + folder + ": " + e, e);
        }
    }

    /** Makes the folder one that {@code HADOOP_HOME} can name. */
    private void writeCommand() {
        final Path command = folder.resolve(COMMAND);
        try {
            final String text = Files.readString(pom.resolveSibling(COMMAND));
            if (Files.exists(command) && Files.readString(command).equals(text)) {
                return;
            }
            WholeFile.replace(
                    command,
                    text.getBytes(StandardCharsets.UTF_8),
                    WholeFile.permissions("rwxr-xr-x"));
        } catch (final IOException e) {
            throw new CommandException("cannot write " + command + ": " + e, e);
        }
    }

    private Path pages() {
        return folder.resolve("pages");
    }

    private void runMaven(final Path target, final Path log, final List<String> options)
            throws IOException {
        final List<String> command = new ArrayList<>();
        command.add(Optional.ofNullable(System.getenv("SPILLWAY_MVN")).orElse("mvn"));
        command.addAll(List.of("-q", "-B", "-f", pom.toString(), "-Dhadoop.version=" + version));
        command.add("dependency:copy-dependencies");
        command.add("-DoutputDirectory=" + target);
        command.addAll(options);
        final Process maven;
        try {
            maven =
                    new ProcessBuilder(command)
                            .redirectErrorStream(true)
                            .redirectOutput(log.toFile())
                            .start();
        } catch (final IOException e) {
            throw new CommandException(
                    "Maven is needed once to fetch Hadoop "
                            + version
                            + ", and does not start: apt-get install maven ("
                            + e.getMessage()
                            + ")",
                    e);
        }
        if (waitFor(maven) != 0) {
            throw failure(log);
        }
    }

    private static int waitFor(final Process process) {
        try {
            return process.waitFor();
        } catch (final InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        }
    }

    private CommandException failure(final Path log) throws IOException {
        final String text = Files.readString(log, StandardCharsets.UTF_8);
        if (text.contains("hadoop-common:jar:" + version)
                && (text.contains("Could not find artifact") || text.contains("was not found"))) {
            return new BadInputException(
                    "--hadoop " + version + ": Maven finds no such release of Hadoop");
        }
        final String reason =
                text.lines().filter(line -> line.contains("ERROR")).findFirst().orElse("no reason");
        return new CommandException(
                "Maven cannot fetch Hadoop " + version + " (see " + log + "): " + reason);
    }

    /** Gives the folder its name, unless another process was faster with the same jars. */
    private static void publish(final Path partial, final Path target) throws IOException {
        try {
            Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (final IOException e) {
            if (!Files.isDirectory(target)) {
                throw e;
            }
        }
    }

    private static void deleteQuietly(final Path folder) {
        try {
            WorkFolder.deleteTree(folder);
        } catch (final IOException e) {
            folder.toFile().deleteOnExit();
        }
    }
}
