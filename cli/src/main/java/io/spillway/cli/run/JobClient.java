// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.failure.CommandException;
import io.spillway.cli.site.BriefJvm;
import io.spillway.cli.site.HadoopSite;
import io.spillway.cli.site.JavaCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs programs of Hadoop in JVMs of their own, with a site's jars and configuration.
 *
 * <p>A program's configuration folder holds the site's files with the engine's properties and the
 * user's in {@code mapred-site.xml}: so they reach every job of any jar, whether or not it reads
 * {@code -D} options; and those given to the program still win.
 */
public final class JobClient {
    private static final AtomicInteger SEQUENCE = new AtomicInteger();
    private static final String HEAP = "-Xmx1g";
    private static final System.Logger LOG = System.getLogger(JobClient.class.getName());

    private final HadoopSite site;

    /** Runs programs at a site. */
    public JobClient(final HadoopSite site) {
        this.site = site;
    }

    /** Where programs run. */
    public HadoopSite site() {
        return site;
    }

    /**
     * Runs a program to its end.
     *
     * @return what became of it; a program that fails is no exception
     */
    public JobResult run(final JobSpec spec, final JobListener listener) {
        final Path folder = newFolder(spec.label());
        final Path log = folder.resolve("client.log");
        try {
            site.writeClientConf(folder.resolve("conf"), jobProperties(spec));
            final Process process = start(spec, folder);
            final Thread killer = new Thread(process::destroy, "client-killer");
            Runtime.getRuntime().addShutdownHook(killer);
            try {
                return new ClientOutput(listener).follow(process, log);
            } finally {
                process.destroy();
                forget(killer);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CommandException("interrupted", e);
        } catch (final IOException e) {
            throw new CommandException("cannot run " + spec.label() + ": " + e, e);
        }
    }

    /**
     * Runs a program to its end and insists that it ends well.
     *
     * @throws CommandException that quotes the program's errors
     */
    public JobResult require(final JobSpec spec, final JobListener listener) {
        final JobResult result = run(spec, listener);
        if (!result.succeeded()) {
            throw new CommandException(new FailureReport(site).describe(spec.label(), result));
        }
        return result;
    }

    private Map<String, String> jobProperties(final JobSpec spec) {
        final Engine engine = spec.engine();
        final Map<String, String> properties = new TreeMap<>(engine.jobProperties());
        if (engine.needsPlugIn()) {
            properties.putAll(site.plugInProperties());
        }
        properties.putAll(spec.properties());
        return properties;
    }

    private Path newFolder(final String label) {
        final String name =
                ProcessHandle.current().pid()
                        + "-"
                        + SEQUENCE.incrementAndGet()
                        + "-"
                        + label.replaceAll("[^A-Za-z0-9_-]+", "-");
        final Path folder = site.jobsFolder().resolve(name);
        try {
            Files.createDirectories(folder.resolve("conf"));
        } catch (final IOException e) {
            throw new CommandException("cannot make " + folder + ": " + e, e);
        }
        return folder;
    }

    private Process start(final JobSpec spec, final Path folder) throws IOException {
        final List<String> command = new ArrayList<>(site.clientPrefix());
        command.addAll(List.of(JavaCommand.path(), HEAP, BriefJvm.ONE_COLLECTOR));
        command.add("--add-opens=java.base/java.lang=ALL-UNNAMED");
        command.addAll(site.clientOptions());
        command.addAll(List.of("-cp", String.join(":", classPath(spec, folder))));
        command.addAll(mainClass(spec.program()));
        command.addAll(spec.arguments());
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().put("HADOOP_CONF_DIR", folder.resolve("conf").toString());
        builder.environment().putAll(site.clientEnvironment());
        return builder.start();
    }

    private List<String> classPath(final JobSpec spec, final Path folder) {
        final List<String> path = new ArrayList<>();
        path.add(folder.resolve("conf").toString());
        path.addAll(site.clientClassPath());
        path.add(site.examplesJar().toString());
        spec.jars().forEach(jar -> path.add(jar.toString()));
        if (spec.engine().needsPlugIn()) {
            path.add(site.plugIn().engine().toString());
        }
        return path;
    }

    private static List<String> mainClass(final JobSpec.Program program) {
        if (program instanceof JobSpec.Program.Example example) {
            return List.of("org.apache.hadoop.examples.ExampleDriver", example.name());
        }
        if (program instanceof JobSpec.Program.Jar jar) {
            return List.of("org.apache.hadoop.util.RunJar", jar.path().toString());
        }
        if (program instanceof JobSpec.Program.Main main) {
            return List.of(main.className());
        }
        if (program instanceof JobSpec.Program.Tool tool) {
            return List.of(tool.runner(), tool.name());
        }
        throw new IllegalArgumentException("program=" + program);
    }

    private static void forget(final Thread hook) {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (final IllegalStateException e) {
            LOG.log(System.Logger.Level.DEBUG, "the JVM is ending, its hook ran", e);
        }
    }
}
