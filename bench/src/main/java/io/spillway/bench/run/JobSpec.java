package io.spillway.bench.run;

import io.spillway.bench.engine.Engine;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A program to run: what, with which engine, with which properties. Immutable.
 *
 * @param label names it in logs and tables
 * @param program what is run
 * @param arguments of the program
 * @param engine its jobs' shuffle engine
 * @param properties of its jobs; they win over the engine's and the site's
 */
public record JobSpec(
        String label,
        Program program,
        List<String> arguments,
        Engine engine,
        Map<String, String> properties) {
    /** Copies what is mutable. */
    public JobSpec {
        arguments = List.copyOf(arguments);
        properties = Map.copyOf(properties);
    }

    /** What is run in the client's JVM. */
    public sealed interface Program {
        /** One of Hadoop's examples, by name. */
        record Example(String name) implements Program {}

        /** Any jar, as {@code hadoop jar} runs it. */
        record Jar(Path path) implements Program {}

        /** A class with a main method on Hadoop's class path. */
        record Main(String className) implements Program {}

        /** One of our own workloads or tools, by name. */
        record Workload(String name) implements Program {}
    }

    /** One of Hadoop's examples with the stock engine. */
    public static JobSpec example(final String name, final String... arguments) {
        return new JobSpec(
                name, new Program.Example(name), List.of(arguments), Engine.STOCK, Map.of());
    }

    /** One of our own workloads with the stock engine. */
    public static JobSpec workload(final String name, final String... arguments) {
        return new JobSpec(
                name, new Program.Workload(name), List.of(arguments), Engine.STOCK, Map.of());
    }

    /** The same under another label. */
    public JobSpec labelled(final String value) {
        return new JobSpec(value, program, arguments, engine, properties);
    }

    /** The same with another engine. */
    public JobSpec with(final Engine value) {
        return new JobSpec(label, program, arguments, value, properties);
    }

    /** The same with these properties added. */
    public JobSpec with(final Map<String, String> more) {
        final Map<String, String> all = new TreeMap<>(properties);
        all.putAll(more);
        return new JobSpec(label, program, arguments, engine, all);
    }
}
