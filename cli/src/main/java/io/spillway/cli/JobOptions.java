package io.spillway.cli;

import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** What every command that runs jobs takes. */
final class JobOptions {
    @Option(
            names = "-D",
            paramLabel = "KEY=VALUE",
            mapFallbackValue = "",
            description = "A property of the jobs; wins over everything else. Repeatable.")
    private Map<String, String> properties = new TreeMap<>();

    Map<String, String> properties() {
        return properties;
    }
}
