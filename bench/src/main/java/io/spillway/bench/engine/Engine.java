package io.spillway.bench.engine;

import io.spillway.bench.BadInputException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A shuffle engine, as properties of a job. */
public enum Engine {
    /** Hadoop's own: no property at all. */
    STOCK("stock"),
    /** Spillway's collector and shuffle, with the stock collector to fall back to. */
    SPILLWAY("spillway");

    private final String label;

    Engine(final String label) {
        this.label = label;
    }

    /** Its name on the command line and in tables. */
    public String label() {
        return label;
    }

    /** The properties that select it for one job. */
    public Map<String, String> jobProperties() {
        return switch (this) {
            case STOCK -> Map.of();
            case SPILLWAY ->
                    Map.of(
                            "mapreduce.job.map.output.collector.class",
                            "io.spillway.hadoop.SpillwayCollector,"
                                    + "org.apache.hadoop.mapred.MapTask$MapOutputBuffer",
                            "mapreduce.job.reduce.shuffle.consumer.plugin.class",
                            "io.spillway.hadoop.SpillwayShuffle");
        };
    }

    /** Whether its jobs need Spillway's jar. */
    public boolean needsPlugIn() {
        return this != STOCK;
    }

    /**
     * The engine of a name.
     *
     * @throws BadInputException when there is none
     */
    public static Engine parse(final String name) {
        return Arrays.stream(values())
                .filter(engine -> engine.label.equals(name.trim().toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(
                        () ->
                                new BadInputException(
                                        "engine '" + name + "': expected one of " + labels()));
    }

    /** The names of all engines. */
    public static List<String> labels() {
        return Arrays.stream(values()).map(Engine::label).toList();
    }
}
