// SPDX-License-Identifier: Apache-2.0
package io.spillway.cli.run;

import io.spillway.cli.site.BriefJvm;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A program to run: what, with which engine, with which properties. Immutable.
 *
 * @param label names it in logs and tables
 * @param program what is run
 * @param arguments of the program
 * @param engine its jobs' shuffle engine
 * @param properties of its jobs; they win over the engine's and the site's
 * @param jars for the class path of its client, beside the site's
 */
public record JobSpec(
        String label,
        Program program,
        List<String> arguments,
        Engine engine,
        Map<String, String> properties,
        List<Path> jars) {
    private static final int LIGHT_HEAP_MB = 256;

    /** Copies what is mutable. */
    public JobSpec {
        arguments = List.copyOf(arguments);
        properties = Map.copyOf(properties);
        jars = List.copyOf(jars);
    }

    /** What is run in the client's JVM. */
    public sealed interface Program {
        /** One of Hadoop's examples, by name. */
        record Example(String name) implements Program {}

        /** Any jar, as {@code hadoop jar} runs it. */
        record Jar(Path path) implements Program {}

        /** A class with a main method on Hadoop's class path. */
        record Main(String className) implements Program {}

        /** One of several programs that a class runs by name. */
        record Tool(String runner, String name) implements Program {}
    }

    /**
     * Uber mode, where the input is small enough for it (a block); else small tasks. The heap is a
     * quarter of a gibibyte.
     */
    private static final Map<String, String> LIGHT =
            Map.of(
                    "mapreduce.job.ubertask.enable", "true",
                    "mapreduce.map.memory.mb", "512",
                    "mapreduce.reduce.memory.mb", "512",
                    "mapreduce.map.java.opts", BriefJvm.line(LIGHT_HEAP_MB),
                    "mapreduce.reduce.java.opts", BriefJvm.line(LIGHT_HEAP_MB),
                    "mapreduce.task.io.sort.mb", "32");

    /** One of Hadoop's examples with the stock engine. */
    public static JobSpec example(final String name, final String... arguments) {
        return new JobSpec(
                name,
                new Program.Example(name),
                List.of(arguments),
                Engine.STOCK,
                Map.of(),
                List.of());
    }

    /** The same for a job that is not measured: over little data it takes one JVM only. */
    public JobSpec unmeasured() {
        return with(LIGHT);
    }

    /** The same under another label. */
    public JobSpec labelled(final String value) {
        return new JobSpec(value, program, arguments, engine, properties, jars);
    }

    /** The same with another engine. */
    public JobSpec with(final Engine value) {
        return new JobSpec(label, program, arguments, value, properties, jars);
    }

    /** The same with these properties added. */
    public JobSpec with(final Map<String, String> more) {
        final Map<String, String> all = new TreeMap<>(properties);
        all.putAll(more);
        return new JobSpec(label, program, arguments, engine, all, jars);
    }

    /** The same with a jar added, where it is not there. */
    public JobSpec with(final Path jar) {
        final Set<Path> all = new LinkedHashSet<>(jars);
        all.add(jar);
        return new JobSpec(label, program, arguments, engine, properties, List.copyOf(all));
    }
}
