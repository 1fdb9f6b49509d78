// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.site;

import io.spillway.cli.failure.BadInputException;
import io.spillway.cli.failure.CommandException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A Hadoop that somebody else installed, named by {@code HADOOP_HOME} and {@code HADOOP_CONF_DIR}.
 *
 * <p>Its configuration is used as it is; a job's properties are added after those of its {@code
 * mapred-site.xml}. The plug-in jar travels with each job, so that only the NodeManagers' handler
 * has to be installed. Immutable and thread-safe.
 */
public final class InstalledHadoop implements HadoopSite {
    private static final List<String> NEEDED =
            List.of("core-site.xml", "mapred-site.xml", "yarn-site.xml");
    private static final String HISTORY = "mapreduce.jobhistory.webapp.address";
    private static final int HISTORY_PORT = 19888;

    private final WorkFolder work;
    private final PlugIn plugIn;
    private final Path conf;
    private final List<String> classPath;
    private final Path examples;

    private InstalledHadoop(
            final WorkFolder work,
            final PlugIn plugIn,
            final Path conf,
            final List<String> classPath,
            final Path examples) {
        this.work = work;
        this.plugIn = plugIn;
        this.conf = conf;
        this.classPath = List.copyOf(classPath);
        this.examples = examples;
    }

    /**
     * The Hadoop that the environment names, if it names one.
     *
     * @throws BadInputException when it names one that is not whole
     */
    public static Optional<InstalledHadoop> find(
            final WorkFolder work, final PlugIn plugIn, final Map<String, String> environment) {
        final Optional<Path> home = HadoopCommand.of(environment).folder();
        final Optional<Path> conf =
                HadoopCommand.folder(environment, "HADOOP_CONF_DIR")
                        .or(() -> home.map(path -> path.resolve("etc/hadoop")));
        if (conf.isEmpty()) {
            return Optional.empty();
        }
        for (final String file : NEEDED) {
            if (!Files.isRegularFile(conf.get().resolve(file))) {
                throw new BadInputException(
                        "no "
                                + conf.get().resolve(file)
                                + ": HADOOP_CONF_DIR must hold "
                                + String.join(", ", NEEDED)
                                + "; unset it to use a local cluster");
            }
        }
        final List<String> classPath = new HadoopCommand(home).classPath(environment);
        return Optional.of(
                new InstalledHadoop(
                        work, plugIn, conf.get(), classPath, examples(home, classPath)));
    }

    private static Path examples(final Optional<Path> home, final List<String> classPath) {
        return Stream.concat(
                        home.map(path -> path.resolve("share/hadoop/mapreduce")).stream(),
                        classPath.stream()
                                .filter(entry -> entry.endsWith("/*"))
                                .map(entry -> Path.of(entry.substring(0, entry.length() - 2))))
                .filter(Files::isDirectory)
                .flatMap(InstalledHadoop::examplesIn)
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "no hadoop-mapreduce-examples jar in the installed"
                                                + " Hadoop"));
    }

    private static Stream<Path> examplesIn(final Path folder) {
        try (Stream<Path> files = Files.list(folder)) {
            return files
                    .filter(
                            file ->
                                    file.getFileName()
                                            .toString()
                                            .matches("hadoop-mapreduce-examples-[\\d.]+.*\\.jar"))
                    .toList()
                    .stream();
        } catch (final IOException e) {
            throw new CommandException("cannot list " + folder + ": " + e, e);
        }
    }

    /** The folder of its configuration. */
    public Path configuration() {
        return conf;
    }

    /** Where it is. */
    public String description() {
        return "Hadoop " + hadoopVersion() + ", configuration " + conf;
    }

    @Override
    public Optional<String> property(final String name) {
        return Stream.of("yarn-site.xml", "mapred-site.xml", "core-site.xml")
                .map(conf::resolve)
                .flatMap(file -> ConfFile.read(file, name).stream())
                .findFirst();
    }

    @Override
    public String hadoopVersion() {
        return examples.getFileName()
                .toString()
                .replaceAll("hadoop-mapreduce-examples-|\\.jar", "");
    }

    @Override
    public List<String> clientClassPath() {
        return classPath;
    }

    @Override
    public Path examplesJar() {
        return examples;
    }

    @Override
    public void writeClientConf(final Path target, final Map<String, String> properties)
            throws IOException {
        Files.createDirectories(target);
        try (Stream<Path> files = Files.list(conf)) {
            for (final Path file : files.filter(Files::isRegularFile).toList()) {
                Files.write(target.resolve(file.getFileName()), Files.readAllBytes(file));
            }
        }
        final Path mapred = target.resolve("mapred-site.xml");
        try {
            Files.writeString(mapred, ConfFile.append(Files.readString(mapred), properties));
        } catch (final IllegalArgumentException e) {
            throw new IOException(conf.resolve("mapred-site.xml") + ": " + e.getMessage(), e);
        }
        Files.writeString(target.resolve("log4j.properties"), ConfFile.LOGGING);
    }

    @Override
    public Map<String, String> plugInProperties() {
        // Without the wildcard, which loses jars that lie on the default file system already.
        return Map.of(
                "tmpjars",
                plugIn.engine().toUri().toString(),
                "mapreduce.client.libjars.wildcard",
                "false");
    }

    @Override
    public PlugIn plugIn() {
        return plugIn;
    }

    @Override
    public String dataFolder() {
        return "spillway-data";
    }

    @Override
    public boolean dataOnLocalFiles() {
        return false;
    }

    @Override
    public Optional<Path> storage() {
        return Optional.empty();
    }

    @Override
    public Optional<URI> historyServer() {
        final String address =
                ConfFile.read(conf.resolve("mapred-site.xml"), HISTORY)
                        .orElse("localhost:" + HISTORY_PORT)
                        .replace("0.0.0.0", "localhost");
        return Optional.of(URI.create("http://" + address));
    }

    /** Its own names: the file system, the ResourceManager, and the configuration's folder. */
    @Override
    public Map<String, Object> facts() {
        final Map<String, Object> facts = new TreeMap<>();
        facts.put("configuration", conf.toString());
        for (final String name :
                List.of(
                        "fs.defaultFS",
                        "yarn.resourcemanager.hostname",
                        "yarn.resourcemanager.address")) {
            property(name).ifPresent(value -> facts.put(name, value));
        }
        return facts;
    }

    @Override
    public Path jobsFolder() {
        return work.root().resolve("jobs");
    }
}
